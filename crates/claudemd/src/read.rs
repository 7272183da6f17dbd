//! Reading a file that may be anything: a FIFO that nobody writes to, a
//! device, a sparse gigabyte.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::SkipReason;
use crate::path_value;

/// The most that is read of a file, in bytes.
const LIMIT: u64 = 4 * 1024 * 1024;
/// How much of a file has to be free of NUL bytes.
const TEXT_SAMPLE: usize = 8 * 1024;

/// What makes two paths the same file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub(crate) enum FileId {
    Inode {
        device: u64,
        inode: u64,
    },
    /// The path with symbolic links resolved, where a system has no inodes.
    Path {
        #[serde(with = "path_value")]
        path: PathBuf,
    },
}

/// A regular file's text.
#[derive(Debug)]
pub(crate) struct FileText {
    pub(crate) text: String,
    pub(crate) id: FileId,
}

/// Why there is no text.
#[derive(Debug)]
pub(crate) enum Fault {
    /// There is no such file, which mostly is no fault at all.
    Missing,
    Skip(SkipReason),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => {
                Self::Missing
            }
            _ => Self::Skip(SkipReason::Unreadable {
                error: error.to_string(),
            }),
        }
    }
}

/// Where a path leads, if it leads to a regular file.
#[derive(Debug)]
pub(crate) enum Location {
    /// The path itself is the file.
    Here,
    /// The path is a symbolic link, and this is where it ends.
    Linked(PathBuf),
}

/// Looks at a path without opening it: to open a device can have effects.
pub(crate) fn locate(path: &Path) -> Result<Location, Fault> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_symlink() {
        regular(&metadata)?;
        return Ok(Location::Here);
    }
    match fs::metadata(path) {
        Ok(target) => regular(&target)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Fault::Skip(SkipReason::Unreadable {
                error: "link that leads nowhere".to_owned(),
            }));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Location::Linked(fs::canonicalize(path)?))
}

/// Reads the file at a path whose symbolic links are resolved: what has become
/// a link since is not followed to where nobody has looked.
pub(crate) fn text(resolved: &Path) -> Result<FileText, Fault> {
    let file = open(resolved)?;
    let metadata = file.metadata()?;
    regular(&metadata)?;
    if metadata.len() > LIMIT {
        return Err(Fault::Skip(SkipReason::TooLarge {
            bytes: metadata.len(),
        }));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    // The size was true a moment ago, and is 0 for the files of /proc.
    (&file).take(LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT {
        let bytes = bytes.len() as u64;
        return Err(Fault::Skip(SkipReason::TooLarge { bytes }));
    }
    if bytes[..bytes.len().min(TEXT_SAMPLE)].contains(&0) {
        return Err(Fault::Skip(SkipReason::Binary));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        Fault::Skip(SkipReason::NotUtf8 { line })
    })?;
    Ok(FileText {
        text,
        id: identity(&metadata, resolved),
    })
}

/// What is at `path` now, if anything.
pub(crate) fn id_of(path: &Path) -> Option<FileId> {
    fs::metadata(path)
        .ok()
        .map(|metadata| identity(&metadata, path))
}

fn regular(metadata: &Metadata) -> Result<(), Fault> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(Fault::Skip(SkipReason::NotAFile {
        found: name_of(metadata.file_type()).to_owned(),
    }))
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;

    // What was a file when it was looked at may be a FIFO by now.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(unix)]
fn identity(metadata: &Metadata, _: &Path) -> FileId {
    use std::os::unix::fs::MetadataExt;
    FileId::Inode {
        device: metadata.dev(),
        inode: metadata.ino(),
    }
}

#[cfg(not(unix))]
fn identity(_: &Metadata, resolved: &Path) -> FileId {
    FileId::Path {
        path: resolved.to_owned(),
    }
}

#[cfg(unix)]
fn name_of(file_type: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if file_type.is_dir() {
        "a directory"
    } else if file_type.is_fifo() {
        "a FIFO"
    } else if file_type.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn name_of(file_type: FileType) -> &'static str {
    if file_type.is_dir() {
        "a directory"
    } else {
        "something else"
    }
}
