//! Why a file or directory cannot be opened, and what a path is instead of a
//! regular file.

use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use super::Fault;

/// Why a file or directory cannot be opened.
///
/// Displays as the path and the fault: `/p/CLAUDE.md: a FIFO, not a file`.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {message}", path = path.display(), message = self.message())]
pub struct OpenError {
    kind: OpenErrorKind,
    /// The path that the caller wanted to open.
    path: PathBuf,
    /// The resolved path, for [`OpenErrorKind::Outside`].
    target: Option<PathBuf>,
    /// The system's error, if one caused this. Its message is part of this one.
    cause: Option<io::Error>,
}

/// The kinds of [`OpenError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpenErrorKind {
    /// Nothing exists at the path, or one of its components is not a directory.
    Missing,
    /// The path is a symbolic link whose target does not exist.
    DanglingLink,
    /// The path resolves outside the [`Fence`](super::Fence), and the user has
    /// not approved it. [`OpenError::target`] returns the resolved path.
    Outside,
    /// The path is not a regular file.
    NotAFile(FileKind),
    /// The path is not a directory.
    NotADirectory,
    /// A component of the path was replaced by a symbolic link after it was
    /// resolved.
    Exchanged,
    /// The path to open below a directory is absolute, or contains `..`.
    NotBelow,
    /// The file is larger than your limit.
    TooLarge {
        /// The size, or how many bytes were read before the limit was reached.
        bytes: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The directory has more entries, at any depth, than are visited.
    TooManyEntries {
        /// The limit.
        limit: usize,
    },
    /// The text begins with a NUL byte.
    NotText,
    /// The system refused the operation.
    Io,
}

aside_text::names! {
    /// What something is instead of a regular file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum FileKind {
        /// A directory.
        Directory = "a directory",
        /// A FIFO.
        Fifo = "a FIFO",
        /// A socket.
        Socket = "a socket",
        /// A character or block device.
        Device = "a device",
        /// A type that this system does not name.
        Other = "something else",
    }
}

impl OpenError {
    pub(super) fn new(kind: OpenErrorKind, path: &Path) -> Self {
        Self { kind, path: path.to_owned(), target: None, cause: None }
    }

    /// Converts a system error.
    ///
    /// A path counts as missing when it does not exist, has a file as a
    /// directory, or has a name that the system does not allow.
    pub fn from_io(path: &Path, error: io::Error) -> Self {
        use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};

        let kind = match error.kind() {
            NotFound | NotADirectory | InvalidFilename => OpenErrorKind::Missing,
            _ => OpenErrorKind::Io,
        };
        Self { cause: Some(error), ..Self::new(kind, path) }
    }

    /// Creates the error for a path that resolves outside the fence.
    pub(super) fn outside(path: &Path, target: &Path) -> Self {
        Self { target: Some(target.to_owned()), ..Self::new(OpenErrorKind::Outside, path) }
    }

    pub(super) fn fault(path: &Path, fault: Fault) -> Self {
        match fault {
            Fault::Link => Self::new(OpenErrorKind::Exchanged, path),
            Fault::Special(kind) => Self::new(OpenErrorKind::NotAFile(kind), path),
            Fault::Io(error) => Self::from_io(path, error),
        }
    }

    /// Tells a dangling link from a path at which nothing exists.
    pub(super) fn or_dangling(self) -> Self {
        let is_link = || fs::symlink_metadata(&self.path).is_ok_and(|found| found.is_symlink());
        if self.is_missing() && is_link() {
            return Self::new(OpenErrorKind::DanglingLink, &self.path);
        }
        self
    }

    /// Replaces the path: when the resolved path cannot be opened, the original
    /// one is reported.
    pub(super) fn at(self, path: &Path) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> OpenErrorKind {
        self.kind
    }

    /// Returns the path that was to be opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns where outside the fence the path resolves to.
    pub fn target(&self) -> Option<&Path> {
        self.target.as_deref()
    }

    /// Returns true if there is no such file, which is no fault for an optional
    /// file. A dangling link is not missing.
    pub fn is_missing(&self) -> bool {
        self.kind == OpenErrorKind::Missing
    }

    /// Returns the message without the path.
    pub fn message(&self) -> String {
        match self.kind {
            OpenErrorKind::Missing => "no such file or directory".to_owned(),
            OpenErrorKind::DanglingLink => "link that leads nowhere".to_owned(),
            OpenErrorKind::Outside => {
                let target = self.target.as_deref().unwrap_or(Path::new(""));
                format!("outside the project and not approved: {}", target.display())
            }
            OpenErrorKind::NotAFile(kind) => format!("{kind}, not a file"),
            OpenErrorKind::NotADirectory => "not a directory".to_owned(),
            OpenErrorKind::Exchanged => "exchanged for a link while it was opened".to_owned(),
            OpenErrorKind::NotBelow => "not a path below a directory".to_owned(),
            OpenErrorKind::TooLarge { limit, .. } => format!("more than {}", size(limit)),
            OpenErrorKind::TooManyEntries { limit } => {
                format!("more than {limit} entries: name a directory that is nearer to the files")
            }
            OpenErrorKind::NotText => "begins with a NUL byte, so not a text".to_owned(),
            OpenErrorKind::Io => match &self.cause {
                Some(error) => error.to_string(),
                None => "unreadable".to_owned(),
            },
        }
    }
}

/// Formats a limit in the largest unit that divides it: `4 MiB`, `1000 bytes`.
fn size(bytes: u64) -> String {
    const KIB: u64 = 1024;
    const MIB: u64 = KIB * 1024;
    match bytes {
        MIB.. if bytes.is_multiple_of(MIB) => format!("{} MiB", bytes / MIB),
        KIB.. if bytes.is_multiple_of(KIB) => format!("{} KiB", bytes / KIB),
        _ => format!("{bytes} bytes"),
    }
}

impl FileKind {
    #[cfg(unix)]
    pub(super) fn of(file_type: FileType) -> Self {
        use std::os::unix::fs::FileTypeExt;

        if file_type.is_dir() {
            Self::Directory
        } else if file_type.is_fifo() {
            Self::Fifo
        } else if file_type.is_socket() {
            Self::Socket
        } else if file_type.is_char_device() || file_type.is_block_device() {
            Self::Device
        } else {
            Self::Other
        }
    }

    #[cfg(not(unix))]
    pub(super) fn of(file_type: FileType) -> Self {
        if file_type.is_dir() { Self::Directory } else { Self::Other }
    }
}

/// Converts to the system's own error, or to one with the
/// [message](OpenError::message).
impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> Self {
        match error.cause {
            Some(cause) => cause,
            None => Self::other(error.message()),
        }
    }
}
