use std::path::PathBuf;

use aside_claudemd::{Profile, Sources};
use clap::Args;

/// What every command that opens a session takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Session")]
pub(crate) struct SessionArguments {
    /// The directory in which the session works.
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    pub(crate) cwd: PathBuf,

    /// A further directory that the agent may work in; may be given again.
    ///
    /// Its instruction files load in bare mode, or where
    /// CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD is on.
    #[arg(long, value_name = "DIR")]
    pub(crate) add_dir: Vec<PathBuf>,

    /// Whose settings, instruction files, rules and reminders count, of user,
    /// project and local, with commas between them; by default all. Those of the
    /// administrator always do.
    #[arg(long, value_name = "LIST", value_parser = sources)]
    pub(crate) setting_sources: Option<Sources>,

    /// Settings that count over those of the user and the project: a file, or
    /// JSON.
    #[arg(long, value_name = "FILE|JSON")]
    pub(crate) settings: Option<String>,

    /// Load the instruction files that another agent would load: claude,
    /// claude:2.1.276, claude:2.1.277, agents-md, codex, copilot, cursor,
    /// gemini, opencode, cline, roo, crush, zed or aider. The default is
    /// claude, with AGENTS.md in each directory that has no CLAUDE.md.
    #[arg(long, value_name = "AGENT")]
    pub(crate) instructions: Option<Profile>,

    /// No instruction files but those of added directories.
    #[arg(long)]
    pub(crate) bare: bool,

    /// Let the instruction files of the project import files from outside it.
    #[arg(long)]
    pub(crate) allow_external_imports: bool,

    /// Leave out the reminders in files of the directory itself: a repository
    /// is not its user.
    #[arg(long)]
    pub(crate) no_project_reminders: bool,
}

/// Reads the list of `--setting-sources`. An empty one names nobody.
fn sources(list: &str) -> Result<Sources, String> {
    let mut sources = Sources {
        user: false,
        project: false,
        local: false,
    };
    for name in list.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        match name {
            "user" => sources.user = true,
            "project" => sources.project = true,
            "local" => sources.local = true,
            _ => return Err(format!("{name:?} is none of user, project, local")),
        }
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_sources() {
        let check = |list, expected: [bool; 3]| {
            let read = sources(list).unwrap();
            assert_eq!([read.user, read.project, read.local], expected, "{list}");
        };
        check("user,project,local", [true; 3]);
        check("user", [true, false, false]);
        check(" local , project,", [false, true, true]);
        check("", [false; 3]);
        assert_eq!(
            sources("user,managed").unwrap_err(),
            "\"managed\" is none of user, project, local"
        );
    }
}
