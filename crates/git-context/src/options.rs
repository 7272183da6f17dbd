use std::path::PathBuf;
use std::time::Duration;

/// How a snapshot is taken.
///
/// ```
/// use aside_git_context::GitOptions;
///
/// let options = GitOptions { tool_name: None, ..GitOptions::default() };
/// assert_eq!(options.max_status_chars, 2_000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitOptions {
    /// The git to run: a name, which is looked for in the absolute directories
    /// of `PATH` outside the repository, or a path.
    pub program: PathBuf,
    /// How long the snapshot may take. A command that has not ended by then is
    /// killed, and its block is left out.
    pub time_limit: Duration,
    /// The tool that a cut status names as the way to the rest.
    pub tool_name: Option<String>,
    /// How many characters of the status are kept.
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

/// What becomes of the configuration outside the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UserConfig {
    /// It counts, as in any git command: the user's name is usually there, and
    /// `safe.directory` can only be there.
    #[default]
    Read,
    /// It is not looked at: the snapshot depends on the repository only.
    Ignore,
}
