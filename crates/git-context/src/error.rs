use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use aside_text::one_line;

use crate::FailureReason;
use crate::data_file::SpecialFile;
use crate::special_file::OutsideLink;

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

    pub(crate) fn directory(cwd: &Path, error: &io::Error) -> Self {
        Self {
            kind: GitErrorKind::Directory,
            subject: cwd.to_owned(),
            message: Some(error.to_string()),
        }
    }

    pub(crate) fn runtime(cwd: &Path, error: &io::Error) -> Self {
        Self {
            kind: GitErrorKind::Runtime,
            subject: cwd.to_owned(),
            message: Some(error.to_string()),
        }
    }

    pub(crate) fn git_not_found(program: &Path) -> Self {
        Self { kind: GitErrorKind::GitNotFound, subject: program.to_owned(), message: None }
    }

    pub(crate) fn special_file(file: SpecialFile) -> Self {
        Self {
            kind: GitErrorKind::SpecialFile,
            subject: file.path,
            message: Some(format!("a {}, which git would wait for", file.kind)),
        }
    }

    pub(crate) fn outside_link(link: OutsideLink) -> Self {
        Self {
            kind: GitErrorKind::OutsideLink,
            subject: link.path,
            message: Some(format!("{:?}", link.target)),
        }
    }

    pub(crate) fn command(arguments: &[&str], reason: &FailureReason) -> Self {
        Self {
            kind: GitErrorKind::Command,
            subject: arguments.join(" ").into(),
            message: Some(reason.to_string()),
        }
    }

    pub(crate) fn refused(cwd: &Path, message: String) -> Self {
        Self { kind: GitErrorKind::Refused, subject: cwd.to_owned(), message: Some(message) }
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
