use serde::{Deserialize, Serialize};

/// The system whose paths are meant.
///
/// Rules about paths take it as a value, so that all three can be tested on
/// one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Platform {
    /// Linux, and every other Unix.
    Linux,
    /// macOS, whose file systems commonly ignore case.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// The platform this was built for.
    pub const CURRENT: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Linux
    };

    /// Where the administrator's instruction files are.
    pub fn managed_dir(self) -> &'static str {
        match self {
            Self::Linux => "/etc/claude-code",
            Self::MacOs => "/Library/Application Support/ClaudeCode",
            Self::Windows => r"C:\Program Files\ClaudeCode",
        }
    }
}
