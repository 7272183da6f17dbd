use std::path::PathBuf;
use std::time::Duration;

/// How to take a snapshot.
///
/// ```
/// use aside_git_context::GitOptions;
///
/// let options = GitOptions { tool_name: None, ..GitOptions::default() };
/// assert_eq!(options.max_status_chars, 2_000);
/// ```
///
/// A minor version may add fields: end yours with `..Default::default()`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitOptions {
    /// The git to run: a path, or a name to look up in the absolute directories
    /// of `PATH` outside the repository.
    pub program: PathBuf,
    /// How long a snapshot may take. A command that exceeds this is killed, and
    /// its block is left out.
    pub time_limit: Duration,
    /// The tool that a truncated status names to read the rest with.
    pub tool_name: Option<String>,
    /// How many characters the status may have.
    pub max_status_chars: usize,
    /// Whether git reads the configuration of user and system.
    pub user_config: UserConfig,
}

impl Default for GitOptions {
    fn default() -> Self {
        Self {
            program: "git".into(),
            time_limit: Duration::from_secs(5),
            tool_name: Some("BashTool".to_owned()),
            max_status_chars: 2_000,
            user_config: UserConfig::Read,
        }
    }
}

/// What to do with configuration outside the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UserConfig {
    /// Git reads it, as always: it usually has the user's name, and only it can
    /// have `safe.directory`.
    #[default]
    Read,
    /// Git ignores it, to make the snapshot depend on the repository only.
    Ignore,
}
