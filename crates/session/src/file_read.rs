//! Records of the files that the model has read, by which later changes are
//! detected.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A file that a tool read for the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRead {
    /// Absolute, symbolic links not resolved.
    pub path: PathBuf,
    /// The identity of the file, whatever its name.
    pub identity: FileIdentity,
    /// The time of its last modification, since 1970 (UTC), as far as the
    /// system knows.
    pub modified: Option<Duration>,
    /// Further metadata that shows, without opening the file, whether it has
    /// changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<FileStamp>,
    /// The part of it that the model has seen.
    pub extent: ReadExtent,
    /// The whole text at that time, if the file is a text of moderate size.
    pub text: Option<Arc<str>>,
}

/// Metadata that changes with the content of a file, in addition to the time of
/// modification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Its size in bytes.
    pub len: u64,
    /// The time of the last change of content or attributes, since 1970 (UTC),
    /// as far as the system knows. Unlike the time of modification, no program
    /// can set it.
    pub status_changed: Option<Duration>,
}

/// The identity of a file: equal for all paths that lead to it.
///
/// An editor that saves a file by renaming another one over it changes the
/// inode, so a session also compares paths.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileIdentity {
    /// Device and inode number, on systems that have them.
    Inode {
        /// The number of the device.
        device: u64,
        /// The number of the file on it.
        inode: u64,
    },
    /// The path with symbolic links resolved, on other systems.
    Path(PathBuf),
}

/// The part of a file that the model has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadExtent {
    /// The whole file.
    Whole,
    /// A part of it.
    Part,
}
