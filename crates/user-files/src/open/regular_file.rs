use std::fs::{self, File, Metadata, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::error::{FileKind, OpenError, OpenErrorKind};

/// An open regular file.
#[derive(Debug)]
pub struct RegularFile {
    file: File,
    metadata: Metadata,
    path: PathBuf,
}

/// A file's device and inode number. Two paths with the same numbers are two
/// names for one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Inode {
    /// The device that the file is on.
    pub device: u64,
    /// The file's number on that device.
    pub inode: u64,
}

/// Equal for all paths that lead to the same file or directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileKey {
    inode: Option<Inode>,
    /// Without links; empty with an inode, which hard links share.
    path: PathBuf,
}

impl FileKey {
    /// Returns the key of an existing path.
    #[must_use]
    pub fn at(path: &Path) -> Option<Self> {
        let inode = Inode::of(&fs::metadata(path).ok()?);
        let path = if inode.is_some() { PathBuf::new() } else { fs::canonicalize(path).ok()? };
        Some(Self { inode, path })
    }
}

/// Opens a file that the user named, for reading. Follows links.
///
/// # Errors
///
/// The path is not a regular file, or the system refuses.
pub fn open_file(path: &Path) -> Result<RegularFile, OpenError> {
    open(path, OpenOptions::new().read(true))
}

/// Opens an existing file that the user named, for reading and appending.
/// Follows links.
///
/// # Errors
///
/// The path is not a regular file, or the system refuses.
pub fn open_file_to_append(path: &Path) -> Result<RegularFile, OpenError> {
    open(path, OpenOptions::new().read(true).append(true))
}

fn open(path: &Path, options: &mut OpenOptions) -> Result<RegularFile, OpenError> {
    let io = |error| OpenError::from_io(path, error);
    // Opening a device can have side effects.
    let found = fs::metadata(path).map_err(|error| io(error).or_dangling())?;
    let file_type = found.file_type();
    if !file_type.is_file() {
        let kind = OpenErrorKind::NotAFile(FileKind::of(file_type));
        return Err(OpenError::new(kind, path));
    }
    // A FIFO may have replaced it.
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;

        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    RegularFile::new(options.open(path).map_err(io)?, path)
}

impl RegularFile {
    /// Checks that an open file is a regular one.
    pub(super) fn new(file: File, path: &Path) -> Result<Self, OpenError> {
        let metadata = file.metadata().map_err(|error| OpenError::from_io(path, error))?;
        if !metadata.is_file() {
            let kind = OpenErrorKind::NotAFile(FileKind::of(metadata.file_type()));
            return Err(OpenError::new(kind, path));
        }
        Ok(Self { file, metadata, path: path.to_owned() })
    }

    pub(super) fn at(self, path: &Path) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// Returns the file's metadata, as of when it was opened.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns which file this is, on systems with inodes.
    pub fn inode(&self) -> Option<Inode> {
        Inode::of(&self.metadata)
    }

    /// Returns the open file.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Reads the whole file, up to `limit` bytes.
    ///
    /// # Errors
    ///
    /// The file is larger than the limit (if its size is known, it is refused
    /// before reading any of it), or the system refuses.
    pub fn read(self, limit: u64) -> Result<Vec<u8>, OpenError> {
        let too_large = |bytes| {
            let kind = OpenErrorKind::TooLarge { bytes, limit };
            Err(OpenError::new(kind, &self.path))
        };
        let size = self.metadata.len();
        if size > limit {
            return too_large(size);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
        // The size may have changed, and is 0 for files in /proc.
        (&self.file)
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| OpenError::from_io(&self.path, error))?;
        if bytes.len() as u64 > limit {
            return too_large(bytes.len() as u64);
        }
        Ok(bytes)
    }
}

impl Inode {
    /// Returns the device and inode number, on systems with inodes.
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;

        Some(Self { device: metadata.dev(), inode: metadata.ino() })
    }

    /// Returns the device and inode number, on systems with inodes.
    #[cfg(not(unix))]
    pub fn of(_: &Metadata) -> Option<Self> {
        None
    }
}
