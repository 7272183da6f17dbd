//! What files the model has read, to detect later changes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A file that a tool read for the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRead {
    /// Absolute; symbolic links are not resolved.
    pub path: PathBuf,
    /// Which file this is, whatever its name.
    pub identity: FileIdentity,
    /// When it was last modified, since 1970 (UTC), as far as the system knows.
    pub modified: Option<Duration>,
    /// Further metadata that shows, without opening the file, whether it has
    /// changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<FileStamp>,
    /// How much the model has seen.
    pub extent: ReadExtent,
    /// The whole text at that time, if it is of moderate size and the model is shown it as such:
    /// `None` for an image, a document or a notebook.
    pub text: Option<Arc<str>>,
}

/// Metadata that changes with a file's content, besides the modification time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Its size in bytes.
    pub len: u64,
    /// When content or attributes last changed, since 1970 (UTC), as far as the
    /// system knows. Unlike the modification time, no program can set this.
    pub status_changed: Option<Duration>,
}

/// Which file this is: equal for all paths that lead to it.
///
/// An editor that saves a file by renaming another over it changes the inode,
/// so a session also compares paths.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileIdentity {
    /// Device and inode number, on systems that have them.
    Inode {
        /// The device's number.
        device: u64,
        /// The file's number on the device.
        inode: u64,
    },
    /// The path with symbolic links resolved, on other systems.
    Path(PathBuf),
}

/// How much of a file the model has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadExtent {
    /// The whole file.
    Whole,
    /// A part of it.
    Part,
    /// Only the text that an edit of it replaced: the model has not read it.
    Edit,
    /// Not its present state: a later change was not shown whole, or an image or document is no
    /// longer sent.
    Stale,
}

impl ReadExtent {
    /// Returns how much the model has seen of the file once it has edited it: it was not shown
    /// the result.
    #[must_use]
    pub fn after_edit(self) -> Self {
        if self == Self::Whole { Self::Part } else { self }
    }
}
