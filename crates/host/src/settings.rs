//! Settings: JSON files kept by administrator, user and project, and the
//! command-line argument.
//!
//! A key counts only in layers that may set it: a repository must not set
//! variables for a process that holds keys, or make its users pay for longer
//! cache entries.

mod file;
mod hooks;
mod keys;
mod layer;
mod mcp_entries;
mod misspelled;
mod setting_places;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aside_claudemd::{Plugin, Sources};
use aside_diagnostic::Diagnostic;
use aside_user_files::open::Fence;
use serde::Deserialize;

use self::keys::Misspelled;
use self::layer::{Layer, OutOfPlace};

use crate::kinds;

pub(crate) use self::file::read_present;
use self::file::{Fault, JsonFault, read_as};
pub use self::hooks::Hook;
pub(crate) use self::hooks::hooks;
pub use self::mcp_entries::McpEntries;
pub(crate) use self::setting_places::SettingPlaces;

/// The names of all settings that Aside reads; a dot separates nested keys.
pub const SETTINGS: &[&str] = &keys::NAMES;

/// The settings from all files, merged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// `claudeMdExcludes`: instruction files not to load.
    pub claude_md_excludes: Vec<String>,
    /// `claudeMd`: instructions by the administrator.
    pub claude_md: Option<String>,
    /// `includeGitInstructions`: whether to put the git status into the
    /// request.
    pub include_git_instructions: Option<bool>,
    /// `autoMemoryEnabled`: whether to put the model's notes from earlier
    /// sessions into the request.
    pub auto_memory_enabled: Option<bool>,
    /// `autoMemoryDirectory`: where these notes are; `~` is the user's home.
    pub auto_memory_directory: Option<String>,
    /// `outputStyle`: the name of the output style.
    pub output_style: Option<String>,
    /// `language`: the language of responses.
    pub language: Option<String>,
    /// `promptCacheTtl`: how long cache entries live.
    pub prompt_cache_ttl: Option<String>,
    /// `subagentPromptCacheTtl`: the same for subagents.
    pub subagent_prompt_cache_ttl: Option<String>,
    /// `promptCacheTtlAllowlist`: query sources whose entries live for an hour.
    pub prompt_cache_ttl_allowlist: Vec<String>,
    /// `cache.prefix`: how long the layers that sessions share live in the
    /// cache.
    pub cache_prefix: Option<String>,
    /// `cache.globalScope`: whether to mark the static zone with global scope.
    pub global_scope: Option<bool>,
    /// `compaction`: when and how to replace a conversation by a summary.
    pub compaction: CompactionSettings,
    /// `clearToolUses`: which older tool results to have cleared by the API.
    pub clear_tool_uses: ClearToolUsesSettings,
    /// `betas`: beta features to request.
    pub betas: Vec<String>,
    /// `mcpServers`: MCP servers by name.
    pub mcp_servers: McpEntries,
    /// `models`: a file with model prices and limits; `~` is the user's home.
    pub models: Option<String>,
    /// `enabledPlugins`: whether a plugin is on, by its name and marketplace.
    pub enabled_plugins: BTreeMap<String, bool>,
    /// The plugins that are on and installed.
    pub plugins: Vec<Plugin>,
    /// `hooks`: those of all files and plugins. They are listed and never run.
    pub hooks: Arc<Vec<Hook>>,
    /// `env`: environment variables.
    pub env: BTreeMap<String, String>,
    /// Where each setting comes from.
    pub(crate) places: SettingPlaces,
}

/// The settings below `compaction`.
///
/// `{"enabled": true, "at": 0.8, "method": "api", "instructions": "Keep all paths."}`
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CompactionSettings {
    /// `enabled`: false to turn compaction off.
    pub enabled: Option<bool>,
    /// `at`: the share of the context window that a request may fill.
    pub at: Option<f64>,
    /// `method`: `auto`, `api` or `request`.
    pub method: Option<String>,
    /// `instructions`: more instructions for the summary.
    pub instructions: Option<String>,
}

/// The settings below `clearToolUses`. To set any turns clearing on.
///
/// `{"trigger": 100000, "keep": 3, "atLeast": 5000}`; the first and the last are tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClearToolUsesSettings {
    /// `trigger`: how many input tokens it takes for results to be cleared.
    pub trigger: Option<u64>,
    /// `keep`: how many of the latest results to keep.
    pub keep: Option<u32>,
    /// `atLeast`: how many tokens a clearing must remove at least.
    pub at_least: Option<u64>,
}

/// Where to look for settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// The user's configuration directory.
    pub(crate) config: Option<PathBuf>,
    /// The session's working directory: no other directory in a project has
    /// settings.
    pub(crate) cwd: PathBuf,
    /// The command-line argument: JSON, or the path of a file.
    pub(crate) command_line: Option<String>,
    pub(crate) managed: Option<PathBuf>,
    /// The sources to read.
    pub(crate) sources: Sources,
    /// The fence for project files.
    pub(crate) fence: Fence,
}

/// Why settings on the command line cannot be read. A fault in other settings
/// is a diagnostic, and the file is left out.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct SettingsError {
    message: String,
}

impl Settings {
    /// Reads and merges all files. Lists are joined; variables and other keys
    /// with higher precedence override lower ones.
    ///
    /// # Errors
    ///
    /// Returns an error when settings on the command line cannot be read.
    pub(crate) fn read(
        places: &Places,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Self, SettingsError> {
        let mut settings = Self::default();
        for (layer, place) in places.in_order() {
            let keys = match &place {
                Place::CommandLine(given) => {
                    of_command_line("settings", given, file::parse, file::read)?
                }
                Place::File { path, fence } => match file::read(path, *fence) {
                    Ok(keys) => keys,
                    Err(Fault::Absent) => continue,
                    Err(fault) => {
                        diagnostics.push(fault.diagnostic(path));
                        continue;
                    }
                },
            };
            let place = place.to_string();
            for Misspelled { key, meant } in &keys.misspelled {
                let message = format!("unknown key {key}: did you mean {meant}?");
                let diagnostic = kinds::KEY_MISSPELLED.diagnostic(message);
                diagnostics.push(diagnostic.at(Path::new(&place)));
            }
            if layer.is_of_project() && keys.cache.prefix.as_deref() == Some("1h") {
                let message = "cache.prefix is 1h: each session may write what the project's sessions share for an hour, at 2 instead of 1.25 times the price of its tokens";
                let note = kinds::PREFIX_OF_PROJECT.diagnostic(message);
                diagnostics.push(note.at(Path::new(&place)));
            }
            for OutOfPlace { key, counts_in } in settings.add(layer, keys, &place) {
                let message =
                    format!("{key} is left out: it counts in the settings of {counts_in} only");
                let diagnostic = kinds::KEY_OUT_OF_PLACE.diagnostic(message);
                diagnostics.push(diagnostic.at(Path::new(&place)));
            }
        }
        Ok(settings)
    }
}

enum Place<'a> {
    /// A project file has a fence.
    File { path: PathBuf, fence: Option<&'a Fence> },
    /// JSON, or the path of a file.
    CommandLine(String),
}

impl Places {
    /// From low to high precedence.
    fn in_order(&self) -> Vec<(Layer, Place<'_>)> {
        let file =
            |directory: &Path, name, fence| Place::File { path: directory.join(name), fence };
        let project = self.cwd.join(".claude");
        let user = self.config.as_deref().filter(|_| self.sources.user);
        let mut places = Vec::new();
        if let Some(config) = user {
            places.push((Layer::User, file(config, "settings.json", None)));
        }
        // In the home directory, the project's settings are the user's.
        let is_users = user.is_some_and(|config| is_same(config, &project));
        let fence = Some(&self.fence);
        if self.sources.project && !is_users {
            places.push((Layer::Project, file(&project, "settings.json", fence)));
        }
        if self.sources.local {
            places.push((Layer::Local, file(&project, "settings.local.json", fence)));
        }
        if let Some(given) = &self.command_line {
            places.push((Layer::CommandLine, Place::CommandLine(given.clone())));
        }
        if let Some(managed) = &self.managed {
            places.push((Layer::Managed, file(managed, "managed-settings.json", None)));
        }
        places
    }

    /// Returns the places that are files, from low to high precedence.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let places = self.in_order().into_iter();
        let files = places.filter_map(|(_, place)| match place {
            Place::File { path, .. } => Some(path),
            Place::CommandLine(given) if is_json(&given) => None,
            Place::CommandLine(path) => Some(path.into()),
        });
        files.collect()
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

/// Returns true if the text is JSON, and not the path of a file.
fn is_json(given: &str) -> bool {
    given.trim_start().starts_with(['{', '['])
}

/// Reads an argument, which is JSON or the path of a file.
fn of_command_line<T>(
    what: &str,
    given: &str,
    parse: fn(&[u8]) -> Result<T, JsonFault>,
    read: fn(&Path, Option<&Fence>) -> Result<T, Fault>,
) -> Result<T, SettingsError> {
    let found = if is_json(given) {
        parse(given.as_bytes()).map_err(|fault| format!("{what} of the command line:{fault}"))
    } else {
        read(Path::new(given), None).map_err(|fault| format!("{given}{fault}"))
    };
    found.map_err(|message| SettingsError { message })
}

/// Reads the argument to `--mcp-config`.
pub(crate) fn servers_of_command_line(given: &str) -> Result<McpEntries, SettingsError> {
    let file: Servers = of_command_line("servers", given, file::parse_as, read_as)?;
    Ok(file.mcp_servers)
}

/// A project's or a caller's file of MCP servers, such as `.mcp.json`. Other keys are ignored, but
/// a file without this one is a mistake.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Servers {
    pub(crate) mcp_servers: McpEntries,
}

/// The MCP servers in `~/.claude.json`, among other keys.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ServerFile {
    pub(crate) mcp_servers: McpEntries,
    /// Servers for single projects, by path.
    pub(crate) projects: BTreeMap<String, ProjectServers>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ProjectServers {
    pub(crate) mcp_servers: McpEntries,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, .. } => path.display().fmt(f),
            Self::CommandLine(given) if is_json(given) => f.write_str("command line"),
            Self::CommandLine(path) => match std::path::absolute(path) {
                Ok(path) => path.display().fmt(f),
                Err(_) => f.write_str(path),
            },
        }
    }
}

#[cfg(test)]
mod tests;
