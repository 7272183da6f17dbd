//! Access to a case's files. A link in their place is refused: otherwise
//! a folder by another person could make the runner read any file, and overwrite it
//! with `bless`.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};

const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Reads a file; returns `None` if it does not exist.
///
/// # Errors
///
/// The path is not a file, or the file is too large or cannot be read.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    if !is_there(path)? {
        return Ok(None);
    }
    let failed = || format!("failed to read {}", path.display());
    let file = File::open(path).with_context(failed)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).with_context(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        bail!("{}: expected at most 64 MB", path.display());
    }
    Ok(Some(bytes))
}

/// Replaces a file. The old file is not written to, since it may have other
/// names elsewhere.
///
/// # Errors
///
/// The path is not a file, or the file cannot be written.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    remove(path)?;
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(bytes))
        .with_context(|| format!("failed to write {}", path.display()))
}

/// Removes a file, if it exists.
///
/// # Errors
///
/// The path is not a file, or the file cannot be removed.
pub(crate) fn remove(path: &Path) -> Result<()> {
    if is_there(path)? {
        fs::remove_file(path).with_context(|| format!("failed to remove {}", path.display()))?;
    }
    Ok(())
}

/// Checks that a path is a folder, and not a link to one.
///
/// # Errors
///
/// The path is not a folder.
pub(crate) fn folder(path: &Path) -> Result<()> {
    let metadata =
        fs::symlink_metadata(path).with_context(|| format!("failed to read {}", path.display()))?;
    if !metadata.is_dir() {
        let found = kind(&metadata);
        bail!("{}: expected a folder, found {found}", path.display());
    }
    Ok(())
}

fn is_there(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(true),
        Ok(metadata) => {
            let found = kind(&metadata);
            bail!("{}: expected a file, found {found}", path.display())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| format!("failed to read {}", path.display())),
    }
}

fn kind(metadata: &Metadata) -> &'static str {
    if metadata.is_symlink() {
        "a link"
    } else if metadata.is_dir() {
        "a folder"
    } else if metadata.is_file() {
        "a file"
    } else {
        "a device, FIFO or socket"
    }
}
