use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::path_value;

/// One instruction file as the model is to read it, and why it is there.
///
/// A path is stored as a string, or as a list of bytes where it is not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryFile {
    /// Where it was found: absolute, symbolic links not resolved. The managed
    /// settings' inline text has the path `managed-settings.json#claudeMd`.
    #[serde(with = "path_value")]
    pub path: PathBuf,
    /// Whose instructions these are.
    pub kind: MemoryKind,
    /// Whether it is a file of a rules directory.
    pub rule: bool,
    /// Why it was loaded.
    pub reason: LoadReason,
    /// The file that imports it.
    #[serde(with = "path_value::optional")]
    pub parent: Option<PathBuf>,
    /// The `paths` of a rule, one pattern each, as written.
    pub globs: Vec<String>,
    /// The path that was touched, for a file that was not there from the
    /// start.
    #[serde(with = "path_value::optional")]
    pub trigger: Option<PathBuf>,
    /// The length of `text`, in bytes.
    pub bytes: usize,
    /// Whether `text` is something else than what is on disk: front matter or
    /// comments were taken out, white space trimmed, a long file cut.
    pub differs_from_disk: bool,
    /// What the model is told.
    pub text: String,
}

/// Whose instructions a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MemoryKind {
    /// The administrator's.
    Managed,
    /// The user's, for all projects.
    User,
    /// The project's, checked in.
    Project,
    /// The user's, for this project.
    Local,
    /// What the model itself noted for later conversations.
    AutoMemory,
}

/// Why a file was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LoadReason {
    /// It is one of the files a session starts with.
    SessionStart,
    /// Another file imports it.
    Include,
    /// A file in or below its directory was touched.
    NestedTraversal,
    /// A path that its `paths` match was touched.
    PathGlobMatch,
    /// It was read again after the conversation was compacted.
    Compact,
    /// It was given before, and its bytes have changed since.
    Changed,
}

impl MemoryKind {
    /// The name in JSON: `managed`, `user`, `project`, `local`, `auto_memory`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::AutoMemory => "auto_memory",
        }
    }
}

impl LoadReason {
    /// The name in JSON, for example `session_start`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "session_start",
            Self::Include => "include",
            Self::NestedTraversal => "nested_traversal",
            Self::PathGlobMatch => "path_glob_match",
            Self::Compact => "compact",
            Self::Changed => "changed",
        }
    }
}
