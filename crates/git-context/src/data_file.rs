//! Reading small files in a repository, without blocking on a FIFO or a device.

use std::ffi::OsStr;
use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// Why a file was not read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// The file is neither regular nor a directory, but of this kind.
    Special(&'static str),
    /// The file cannot be read, or is too long.
    Other,
}

impl From<io::Error> for ReadError {
    fn from(_: io::Error) -> Self {
        Self::Other
    }
}

/// Reads a small file in a repository. Returns `None` if there is none.
///
/// Opening never blocks, not even on a FIFO.
///
/// # Errors
///
/// The file is not a regular one, cannot be read, or is longer than `limit`
/// bytes.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
    let content = read_start(path, limit + 1)?;
    if content.as_ref().is_some_and(|content| content.len() as u64 > limit) {
        return Err(ReadError::Other);
    }
    Ok(content)
}

/// Reads up to `limit` bytes from the start of a file in a repository, in the
/// same way.
pub(crate) fn read_start(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let metadata = file.metadata()?;
    if let Some(kind) = special_kind(metadata.file_type()) {
        return Err(ReadError::Special(kind));
    }
    let mut content = Vec::new();
    file.take(limit).read_to_end(&mut content)?;
    Ok(Some(content))
}

/// Returns true if the error means that nothing is at the path.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).expect("the flags of open are an int");
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// Names a kind of file that git could wait for, or read without end; `None`
/// for files, directories and links.
#[cfg(unix)]
pub(crate) fn special_kind(kind: FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt as _;

    if kind.is_fifo() {
        Some("FIFO")
    } else if kind.is_socket() {
        Some("socket")
    } else if kind.is_char_device() || kind.is_block_device() {
        Some("device")
    } else {
        None
    }
}

#[cfg(not(unix))]
pub(crate) fn special_kind(_: FileType) -> Option<&'static str> {
    None
}

/// Converts bytes from a file to a name as the system takes it.
#[cfg(unix)]
pub(crate) fn os_str(bytes: &[u8]) -> Option<&OsStr> {
    use std::os::unix::ffi::OsStrExt as _;

    (!bytes.contains(&0)).then(|| OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
pub(crate) fn os_str(bytes: &[u8]) -> Option<&OsStr> {
    let text = str::from_utf8(bytes).ok()?;
    (!text.contains('\0')).then(|| OsStr::new(text))
}
