//! Opening a file that may be anything, at a path that may change meanwhile.

use std::fs::{File, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aside_agent::FileIdentity;

/// A regular file.
#[derive(Debug)]
pub(crate) struct OpenedFile {
    pub(crate) file: File,
    /// In bytes, a moment ago.
    pub(crate) len: u64,
    pub(crate) identity: FileIdentity,
    /// Since 1970.
    pub(crate) modified: Option<Duration>,
}

impl OpenedFile {
    fn new(file: File, path: impl FnOnce() -> PathBuf) -> io::Result<Self> {
        let metadata = file.metadata()?;
        regular(metadata.file_type())?;
        let modified = metadata.modified().ok();
        Ok(Self {
            file,
            len: metadata.len(),
            identity: identity(&metadata, path),
            modified: modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok()),
        })
    }
}

/// Opens the file `below` a directory, both with symbolic links resolved. No
/// link is followed, and only a regular file is opened: to open a device can
/// have effects, and a FIFO keeps one waiting.
#[cfg(unix)]
pub(crate) fn regular_file(root: &Path, below: &Path) -> io::Result<OpenedFile> {
    use rustix::fs::{AtFlags, Mode, OFlags, open, openat, statat};

    #[cfg(any(target_os = "linux", target_os = "android"))]
    const LOOK: OFlags = OFlags::PATH;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const LOOK: OFlags = OFlags::RDONLY;

    let through = LOOK | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut directory = open(root, through, Mode::empty())?;
    let (Some(parent), Some(name)) = (below.parent(), below.file_name()) else {
        return Err(io::Error::other("a directory, not a file"));
    };
    for part in parent {
        directory = openat(&directory, part, through | OFlags::NOFOLLOW, Mode::empty())?;
    }
    let found = statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    regular_mode(found.st_mode)?;
    // It may be something else by now.
    let flags =
        OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(openat(&directory, name, flags, Mode::empty())?);
    OpenedFile::new(file, || root.join(below))
}

#[cfg(unix)]
fn regular_mode(mode: rustix::fs::RawMode) -> io::Result<()> {
    let found = match rustix::fs::FileType::from_raw_mode(mode) {
        rustix::fs::FileType::RegularFile => return Ok(()),
        rustix::fs::FileType::Directory => "a directory",
        rustix::fs::FileType::Fifo => "a FIFO",
        rustix::fs::FileType::Socket => "a socket",
        rustix::fs::FileType::Symlink => "a link that was put there meanwhile",
        _ => "a device",
    };
    Err(io::Error::other(format!("{found}, not a file")))
}

/// Opens the file `below` a directory, both with symbolic links resolved.
#[cfg(not(unix))]
pub(crate) fn regular_file(root: &Path, below: &Path) -> io::Result<OpenedFile> {
    let path = root.join(below);
    regular(std::fs::symlink_metadata(&path)?.file_type())?;
    OpenedFile::new(File::open(&path)?, || path)
}

fn regular(found: FileType) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let found = if found.is_dir() {
        "a directory"
    } else {
        "something else"
    };
    Err(io::Error::other(format!("{found}, not a file")))
}

#[cfg(unix)]
fn identity(metadata: &Metadata, _: impl FnOnce() -> PathBuf) -> FileIdentity {
    use std::os::unix::fs::MetadataExt;
    FileIdentity::Inode {
        device: metadata.dev(),
        inode: metadata.ino(),
    }
}

#[cfg(not(unix))]
fn identity(_: &Metadata, path: impl FnOnce() -> PathBuf) -> FileIdentity {
    FileIdentity::Path(path())
}
