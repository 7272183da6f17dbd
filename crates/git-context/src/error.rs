use std::fmt;
use std::path::{Path, PathBuf};

use aside_text::one_line;

/// Why [`snapshot`](crate::snapshot) returned nothing at all.
///
/// The text is one line and reads after "failed to take the git snapshot: ". A
/// conversation does not need a snapshot, so report this error and continue.
#[derive(Debug)]
pub struct GitError {
    kind: GitErrorKind,
    subject: PathBuf,
    message: Option<String>,
}

/// The kinds of [`GitError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GitErrorKind {
    /// The directory does not exist or cannot be entered.
    Directory,
    /// There is a repository, but no git to read it with.
    GitNotFound,
    /// Git refuses the repository: it belongs to another user
    /// (`safe.directory`), is damaged, or has an unknown version.
    Refused,
    /// A FIFO, a socket or a device replaces a file that git opens, and git
    /// would wait for it.
    SpecialFile,
    /// A file in the git directory is a link out of it, and git would quote its
    /// lines in messages.
    OutsideLink,
    /// The system refuses a thread, or what a runtime needs.
    Runtime,
    /// A [`GitCommand`](crate::GitCommand) failed.
    Command,
}

impl GitError {
    /// Returns the kind of error.
    #[must_use]
    pub fn kind(&self) -> GitErrorKind {
        self.kind
    }

    pub(crate) fn new(
        kind: GitErrorKind,
        subject: impl Into<PathBuf>,
        message: impl ToString,
    ) -> Self {
        Self { kind, subject: subject.into(), message: Some(message.to_string()) }
    }

    pub(crate) fn git_not_found(program: &Path) -> Self {
        Self { kind: GitErrorKind::GitNotFound, subject: program.to_owned(), message: None }
    }

    /// Creates the error for a file that is of this kind, such as `FIFO`.
    pub(crate) fn special_file(path: &Path, kind: &str) -> Self {
        let message = format!("a {kind}, which git would wait for");
        Self::new(GitErrorKind::SpecialFile, path, message)
    }
}

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The debug form of a path is quoted, with unprintable characters
        // escaped.
        let subject = &self.subject;
        match self.kind {
            GitErrorKind::Directory => write!(f, "cannot enter {subject:?}")?,
            GitErrorKind::GitNotFound => write!(f, "found no program {subject:?}")?,
            GitErrorKind::Refused => write!(f, "git refuses the repository of {subject:?}")?,
            GitErrorKind::Runtime => write!(f, "cannot start a thread for {subject:?}")?,
            GitErrorKind::SpecialFile => write!(f, "{subject:?} is no regular file")?,
            GitErrorKind::OutsideLink => write!(f, "{subject:?} is a link out of the repository")?,
            GitErrorKind::Command => write!(f, "git {}", one_line(&subject.to_string_lossy()))?,
        }
        match &self.message {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for GitError {}
