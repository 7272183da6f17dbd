//! How a session reads files; `aside-tools` implements this for a workspace.

use std::fmt;

use aside_attachments::{Attachment, LineRange};

use crate::file_read::FileRead;
use crate::read_state::ReadState;

/// Gives a session access to files, since it opens none itself.
///
/// The methods may block, and are called off the runtime.
pub trait Files: fmt::Debug + Send + Sync {
    /// Returns the file or directory at a path that a prompt mentions, absolute
    /// or relative to the working directory; with `lines`, only these lines of
    /// a text. Returns `None` if nothing exists there: the mention is then
    /// ordinary text.
    ///
    /// # Errors
    ///
    /// The file or directory exists but cannot be shown to the model. The
    /// mention remains text, and the user gets the error.
    fn mentioned(
        &self,
        path: &str,
        lines: Option<LineRange>,
    ) -> Result<Option<Mentioned>, MentionError>;

    /// Returns the file's present state if it changed since an earlier read,
    /// and `None` if it did not or was removed. A file with an unchanged stamp
    /// is not opened, since this runs for many files before every request.
    fn changed(&self, then: &FileRead) -> Option<FileRead>;

    /// Returns true if the file that was read is no longer there: a compaction does not bring it
    /// back. By default, no file is removed.
    fn is_removed(&self, _then: &FileRead) -> bool {
        false
    }

    /// Sets the files that the model knows, before its calls run: tools that change a file refuse
    /// one that is not as the model knows it. By default, this does nothing.
    fn set_known(&self, _known: &ReadState) {}
}

/// What a mention refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mentioned {
    /// The attachment for the model.
    pub attachment: Attachment,
    /// The file that was read for it, if it is one.
    pub read: Option<FileRead>,
}

/// A mention whose target exists but cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("@{path} stays text: {message}")]
pub struct MentionError {
    kind: MentionErrorKind,
    path: String,
    message: String,
}

/// What kind of [`MentionError`] this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MentionErrorKind {
    /// The path leads outside the session's directories.
    Outside,
    /// It is a FIFO, a socket or a device.
    NotAFile,
    /// The system refuses to open it, or a link is dangling.
    Unreadable,
    /// The file's type or size is not supported.
    Unsupported,
}

impl MentionError {
    /// Creates an error from the mentioned path and a reason, such as `a FIFO,
    /// not a file`.
    pub fn new(kind: MentionErrorKind, path: &str, reason: impl fmt::Display) -> Self {
        Self { kind, path: path.to_owned(), message: reason.to_string() }
    }

    /// Returns what kind of error this is.
    #[must_use]
    pub fn kind(&self) -> MentionErrorKind {
        self.kind
    }

    /// Returns the path as mentioned.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}
