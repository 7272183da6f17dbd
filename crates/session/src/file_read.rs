use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A file that a tool read for the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRead {
    /// Absolute, symbolic links not resolved.
    pub path: PathBuf,
    /// Which file it is, whatever its name.
    pub identity: FileIdentity,
    /// When it was last changed, since 1970 (UTC), as far as the system knows.
    pub modified: Option<Duration>,
    /// What else the system knew of it, to see without opening it whether it
    /// has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<FileStamp>,
    /// How much of it the model was shown.
    pub extent: ReadExtent,
    /// The whole text at that time, of a file that is a text of moderate size.
    pub text: Option<Arc<str>>,
}

/// What changes with the content of a file, beside its time of modification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Its size in bytes.
    pub len: u64,
    /// When the content or the attributes changed last, since 1970 (UTC), as far
    /// as the system knows. Unlike the time of modification, no program can set
    /// it.
    pub status_changed: Option<Duration>,
}

/// What makes two paths the same file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileIdentity {
    /// On systems that number their files.
    Inode {
        /// The number of the device.
        device: u64,
        /// The number of the file on it.
        inode: u64,
    },
    /// The path with symbolic links resolved, elsewhere.
    Path(PathBuf),
}

/// How much of a file the model was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadExtent {
    /// All of it.
    Whole,
    /// Some of it.
    Part,
}
