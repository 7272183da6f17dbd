use std::path::PathBuf;
use std::time::Duration;

/// Options of a snapshot.
///
/// ```
/// use aside_git_context::GitOptions;
///
/// let options = GitOptions { tool_name: None, ..GitOptions::default() };
/// assert_eq!(options.max_status_chars, 2_000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitOptions {
    /// The git to run: a path, or a name that is searched in the absolute
    /// directories of `PATH` outside the repository.
    pub program: PathBuf,
    /// The time limit of the snapshot. A command that exceeds it is killed, and
    /// its block is left out.
    pub time_limit: Duration,
    /// The tool that a truncated status names to read the rest with.
    pub tool_name: Option<String>,
    /// The maximum length of the status, in characters.
    pub max_status_chars: usize,
    /// Whether git reads the configuration of the user and the system.
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

/// The use of configuration outside the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UserConfig {
    /// Git reads it, as always: it usually has the name of the user, and only it
    /// can have `safe.directory`.
    #[default]
    Read,
    /// Git ignores it: the snapshot depends on the repository only.
    Ignore,
}
