//! Reading an open file's text and identity.

use std::fs;
use std::path::{Path, PathBuf};

use aside_user_files::decode;
use aside_user_files::open::{Inode, OpenError, OpenErrorKind, RegularFile};
use serde::{Deserialize, Serialize};

use crate::SkipReason;
use crate::discover::profile::Bytes;
use crate::links::path_value;

/// How large a file may be, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// How many bytes at the start to search for a NUL, which makes a file binary.
const TEXT_SAMPLE_BYTES: usize = 8 * 1024;

/// Which file this is: equal for all paths that lead to it.
///
/// ```json
/// {"by": "inode", "device": 2049, "inode": 131077}
/// {"by": "path", "path": "C:\\work\\CLAUDE.md"}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub(crate) enum FileId {
    /// Device and inode, which stay when a file is renamed.
    Inode { device: u64, inode: u64 },
    /// The path with symbolic links resolved, on a system without inodes.
    Path {
        #[serde(with = "path_value")]
        path: PathBuf,
    },
}

/// Why there is no text.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The file does not exist, which usually is no fault.
    Missing,
    /// The file exists and must be reported as skipped.
    Skip(SkipReason),
}

impl FileId {
    /// Returns the identity of a file with this inode, if the system has inodes, and this path, with
    /// symbolic links resolved.
    pub(crate) fn new(inode: Option<Inode>, resolved: &Path) -> Self {
        match inode {
            Some(Inode { device, inode }) => Self::Inode { device, inode },
            None => Self::Path { path: resolved.to_owned() },
        }
    }

    /// Returns which file is at a path now.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self::new(Inode::of(&metadata), path))
    }
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Self {
        if error.is_missing() { Self::Missing } else { Self::Skip(error.into()) }
    }
}

impl From<OpenError> for SkipReason {
    fn from(error: OpenError) -> Self {
        match error.kind() {
            OpenErrorKind::NotAFile(kind) => Self::NotAFile { found: kind.to_string() },
            OpenErrorKind::TooLarge { bytes, .. } => Self::TooLarge { bytes },
            OpenErrorKind::Outside => {
                Self::External { target: error.target().unwrap_or(error.path()).to_owned() }
            }
            _ => Self::Unreadable { error: error.message() },
        }
    }
}

/// Reads an open file's whole text, with a byte order mark if it has one, and the first line with
/// replaced bytes.
///
/// # Errors
///
/// [`Fault::Skip`] for a file over [`MAX_BYTES`], a binary file, and one that
/// is not UTF-8 unless its bytes are replaced, with the line of the first invalid byte.
pub(crate) fn text(file: RegularFile, bytes: Bytes) -> Result<(String, Option<usize>), Fault> {
    let read = file.read(MAX_BYTES)?;
    let is_replaced = bytes == Bytes::Replaced && std::str::from_utf8(&read).is_err();
    let lossy = is_replaced.then(|| String::from_utf8_lossy(&read).into_owned());
    match (decoded(read), lossy) {
        (Ok(text), _) => Ok((text, None)),
        (Err(SkipReason::NotUtf8 { line }), Some(text)) => Ok((text, Some(line))),
        (Err(reason), _) => Err(Fault::Skip(reason)),
    }
}

/// Returns a file's bytes as text.
///
/// # Errors
///
/// The file is binary, or not UTF-8, with the line of the first invalid byte.
pub(crate) fn decoded(bytes: Vec<u8>) -> Result<String, SkipReason> {
    if bytes[..bytes.len().min(TEXT_SAMPLE_BYTES)].contains(&0) {
        return Err(SkipReason::Binary);
    }
    decode(bytes).map_err(|error| SkipReason::NotUtf8 { line: error.line() })
}

/// What is at an import's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Nothing,
    Directory,
    /// A file, or something that cannot be read.
    Other,
}

/// Examines an import's path without opening it.
pub(crate) fn target(path: &Path) -> Target {
    let error = match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Target::Directory,
        Ok(_) => return Target::Other,
        Err(error) => OpenError::from_io(path, error),
    };
    // A dangling link counts as something that cannot be read.
    if error.is_missing() && fs::symlink_metadata(path).is_err() {
        Target::Nothing
    } else {
        Target::Other
    }
}
