//! Which MCP servers a session may start: the user's, the project's that the
//! user approved, and those on the command line.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use aside_diagnostic::Diagnostic;
use aside_git_context::absolute_directories;
use aside_mcp::ServerConfig;
use aside_text::shell_word;

use crate::command_line::CommandLine;
use crate::environment::EnvVars;
use crate::host::Host;
use crate::invocation::Invocation;
use crate::kinds;
use crate::mcp_approvals::Approvals;
use crate::project::project_dir;
use crate::settings::{
    McpEntries, ServerFile, Servers, SettingsError, read_present, servers_of_command_line,
};

/// Variables that server programs get in addition to their configuration: no
/// provider keys.
const PROGRAM_VARIABLES: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    // Windows.
    "APPDATA",
    "COMSPEC",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
];

/// Which MCP servers to start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpSelection {
    /// Whether to start the user's and the project's.
    pub configured: bool,
    /// More servers from the command line: JSON, or paths of files.
    pub given: Vec<String>,
    /// Names of project servers that the user approves.
    pub approved: Vec<String>,
}

/// Returns a variable's value for server programs, which start in the project: its `PATH` has
/// absolute directories only, and is left out without any.
fn program_variable(name: &OsStr, value: &OsStr) -> Option<OsString> {
    if !name.eq_ignore_ascii_case("PATH") {
        return Some(value.to_owned());
    }
    let path = env::join_paths(absolute_directories(value)).ok()?;
    // An empty list would mean the current directory.
    (!path.is_empty()).then_some(path)
}

fn left_out(name: &str, fault: &str) -> Diagnostic {
    let message = format!("the MCP server {} is left out: {fault}", shell_word(name));
    kinds::MCP_SERVER_INVALID.diagnostic(message)
}

impl Invocation {
    /// Returns the servers to start, by name, with variables replaced by their
    /// values. From low to high precedence they come from
    ///
    /// 1. `~/.claude.json`, also below `projects` for the project,
    /// 2. `mcpServers` of the settings,
    /// 3. `.mcp.json` in the working directory, or at the project's root, as
    ///    far as the user approved them,
    /// 4. the command line.
    ///
    /// A server of `.mcp.json` starts in that file's directory, one below `projects` in the
    /// directory that is its key. Any other starts in the working directory.
    ///
    /// The user approves a project's server by name, and the approval is stored
    /// for its configuration and directory: when one changes, it takes another approval. Servers
    /// that cannot be started, or are not approved, are reported and left out.
    ///
    /// # Errors
    ///
    /// Returns an error when a file from the command line cannot be read.
    pub fn mcp_servers(
        &self,
        selection: &McpSelection,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<BTreeMap<String, ServerConfig>, SettingsError> {
        let (host, command_line) = (&self.host, &self.command_line);
        let mut servers = McpEntries::default();
        if selection.configured {
            if command_line.sources.user {
                servers.extend(host.servers_of_user(&command_line.cwd, diagnostics));
            }
            servers.extend(self.settings.mcp_servers.clone());
            if command_line.sources.project {
                let approved = host.approved_servers(selection, command_line, diagnostics);
                servers.extend(approved);
            }
        }
        for given in &selection.given {
            servers.extend(servers_of_command_line(given)?);
        }
        let variable = |name: &str| {
            let value = program_variable(name.as_ref(), self.environment.get(name)?)?;
            Some(value.to_string_lossy().into_owned())
        };
        let startable = servers.0.into_iter().filter_map(|(name, config)| {
            let expanded = config.and_then(|config| {
                let expanded = config.expand(variable);
                let checked = expanded.and_then(|it| it.endpoint().map(|_| ()).and(Ok(it)));
                checked.map_err(|fault| fault.to_string())
            });
            let reported = expanded.inspect_err(|fault| diagnostics.push(left_out(&name, fault)));
            Some((name, reported.ok()?))
        });
        Ok(startable.collect())
    }
}

impl Host {
    /// Returns the variables to pass to server programs. Relative directories in `PATH` are left
    /// out, because the servers start in the project, which could then provide a program that the
    /// user named. One with an absolute path is the user's choice, such as `node_modules/.bin`.
    #[must_use]
    pub fn program_variables(environment: &EnvVars) -> Vec<(OsString, OsString)> {
        let is_passed =
            |name: &OsStr| PROGRAM_VARIABLES.iter().any(|it| name.eq_ignore_ascii_case(it));
        let passed = environment.iter().filter(|(name, _)| is_passed(name));
        passed
            .filter_map(|(name, value)| Some((name.to_owned(), program_variable(name, value)?)))
            .collect()
    }

    /// Reads `~/.claude.json`, which Claude Code writes.
    fn servers_of_user(&self, cwd: &Path, diagnostics: &mut Vec<Diagnostic>) -> McpEntries {
        let variables = &self.variables;
        let directory = variables.claude_config_dir.as_ref().or(variables.home.as_ref());
        let Some(path) = directory.map(|directory| directory.join(".claude.json")) else {
            return McpEntries::default();
        };
        let mut file = read_present::<ServerFile>(&path, None, diagnostics).unwrap_or_default();
        for project in [project_dir(cwd), cwd.to_owned()] {
            if let Some(of_project) = file.projects.remove(&*project.to_string_lossy()) {
                file.mcp_servers.extend(of_project.mcp_servers.starting_in(&project));
            }
        }
        file.mcp_servers
    }

    /// Returns the project's approved servers, and stores new approvals.
    fn approved_servers(
        &self,
        selection: &McpSelection,
        command_line: &CommandLine,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> McpEntries {
        let cwd = &command_line.cwd;
        let fence = command_line.fence();
        // With links resolved: an approval holds for a place, not for a way to it.
        let mut directories =
            vec![cwd.canonicalize().unwrap_or_else(|_| cwd.clone()), project_dir(cwd)];
        directories.dedup();
        let found = directories.iter().find_map(|directory| {
            let path = directory.join(".mcp.json");
            let file = read_present::<Servers>(&path, Some(&fence), diagnostics)?;
            Some((directory, file.mcp_servers.starting_in(directory)))
        });
        let (directory, mut servers) = found.unwrap_or((&directories[0], McpEntries::default()));
        let path = directory.join(".mcp.json");
        for name in &selection.approved {
            if !servers.0.contains_key(name) {
                let name = shell_word(name);
                let message = format!("the project has no MCP server {name} to approve");
                diagnostics.push(kinds::MCP_SERVER_INVALID.diagnostic(message).at(path.as_path()));
            }
        }
        let approvals = Approvals::new(self.variables.aside_dir(), directory);
        servers.0.retain(|name, config| {
            let config = match config {
                Ok(config) => config,
                // It must not replace the user's server of this name.
                Err(fault) => {
                    diagnostics.push(left_out(name, fault).at(path.as_path()));
                    return false;
                }
            };
            if selection.approved.contains(name) {
                if let Err(fault) = approvals.store(name, config) {
                    let name = shell_word(name);
                    let message = format!("the approval of {name} is not stored: {fault}");
                    diagnostics.push(kinds::MCP_APPROVAL_NOT_STORED.diagnostic(message));
                }
                return true;
            }
            let is_approved = approvals.contain(name, config);
            if !is_approved {
                // A repository chooses the name, which could otherwise pass for the rest.
                let name = shell_word(name);
                let message = format!(
                    "the MCP server {name} is not started: --approve-mcp {name} allows the project to start {}",
                    config.full_summary()
                );
                let diagnostic = kinds::MCP_SERVER_NOT_APPROVED.diagnostic(message);
                diagnostics.push(diagnostic.at(path.as_path()));
            }
            is_approved
        });
        servers
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::variables::Variables;

    #[test]
    fn a_name_of_a_repository_is_one_word_of_the_message() {
        let check = |name: &str, shown: &str| {
            let project = tempfile::tempdir().unwrap();
            let file = serde_json::json!({"mcpServers": {name: {"command": "npx"}}});
            std::fs::write(project.path().join(".mcp.json"), file.to_string()).unwrap();
            let host = Host { variables: Variables::default(), ..Host::look() };
            let command_line = CommandLine::new(project.path().to_owned());
            let (selection, mut diagnostics) = (McpSelection::default(), Vec::new());
            let approved = host.approved_servers(&selection, &command_line, &mut diagnostics);
            assert_eq!(approved, McpEntries::default());
            let expected = format!(
                "the MCP server {shown} is not started: --approve-mcp {shown} allows the project to start npx"
            );
            let messages: Vec<&str> = diagnostics.iter().map(|it| it.message.as_str()).collect();
            assert_eq!(messages, [expected]);
        };
        check("docs", "docs");
        check("my-server.v2", "my-server.v2");
        check("a b", "'a b'");
        check("x; touch PWN #", "'x; touch PWN #'");
        check("it's", r"'it'\''s'");
        let forged = "docs is not started: --approve-mcp docs allows the project to start npx";
        check(forged, &format!("'{forged}'"));
    }

    #[test]
    fn programs_are_not_looked_up_in_the_project() {
        let check = |path: &str, expected: Option<&str>| {
            let environment = EnvVars::from_iter([("PATH", path), ("HOME", "a:b"), ("KEY", "k")]);
            let found = Host::program_variables(&environment);
            let home = Some(("HOME", "a:b"));
            let expected = home.into_iter().chain(expected.map(|path| ("PATH", path)));
            let expected: Vec<_> = expected.map(|(name, it)| (name.into(), it.into())).collect();
            assert_eq!(found, expected, "{path:?}");
        };
        check("/usr/bin:/home/mia/bin", Some("/usr/bin:/home/mia/bin"));
        check(":/usr/bin", Some("/usr/bin"));
        check("/usr/bin::bin:./bin:../bin:.", Some("/usr/bin"));
        check("bin", None);
        check("", None);
    }
}
