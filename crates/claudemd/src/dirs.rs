//! Directories outside projects.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::OperatingSystem;
use crate::links::path_value;

/// Where instruction files are outside the project.
///
/// All are absolute. Nothing is read for a directory that is `None`.
///
/// ```
/// use aside_claudemd::Dirs;
///
/// let dirs = Dirs::of_home("/home/mia");
/// assert_eq!(dirs.config, Some("/home/mia/.claude".into()));
/// assert_eq!(Dirs::default().home, None, "only the project's own files load");
/// ```
///
/// A minor version may add fields: end yours with `..Default::default()`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dirs {
    /// The user's home directory, which `~` means in an import.
    #[serde(with = "path_value::optional")]
    pub home: Option<PathBuf>,
    /// The user's configuration directory, commonly `~/.claude`.
    #[serde(with = "path_value::optional")]
    pub config: Option<PathBuf>,
    /// Where managed settings are, for example `/etc/claude-code`.
    #[serde(with = "path_value::optional")]
    pub managed: Option<PathBuf>,
}

impl Dirs {
    /// Returns a user's usual directories on this platform.
    pub fn of_home(home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Self {
            config: Some(home.join(".claude")),
            managed: Some(OperatingSystem::CURRENT.managed_dir().into()),
            home: Some(home),
        }
    }
}
