//! The files of a case itself. None of them is a link, or a folder that
//! somebody was given could have any file read, and with `bless` overwritten.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The largest file of a case, in bytes.
const LIMIT: u64 = 64 * 1024 * 1024;

/// What a file holds; `None` where there is none.
///
/// # Errors
/// Something else than a file, one that is too large or cannot be read.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    if !is_there(path)? {
        return Ok(None);
    }
    let failed = || format!("failed to read {}", path.display());
    let file = File::open(path).with_context(failed)?;
    let mut bytes = Vec::new();
    file.take(LIMIT + 1)
        .read_to_end(&mut bytes)
        .with_context(failed)?;
    if bytes.len() as u64 > LIMIT {
        bail!("{}: expected at most 64 MB", path.display());
    }
    Ok(Some(bytes))
}

/// Writes a file anew. What was there before is not written to: it may have
/// other names elsewhere.
///
/// # Errors
/// Something else than a file is there, or the file cannot be written.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    remove(path)?;
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(bytes))
        .with_context(|| format!("failed to write {}", path.display()))
}

/// Removes a file, if there is one.
///
/// # Errors
/// Something else than a file is there, or the file cannot be removed.
pub(crate) fn remove(path: &Path) -> Result<()> {
    if is_there(path)? {
        fs::remove_file(path).with_context(|| format!("failed to remove {}", path.display()))?;
    }
    Ok(())
}

/// Refuses a folder that is something else, such as a link to one.
///
/// # Errors
/// As it says.
pub(crate) fn folder(path: &Path) -> Result<()> {
    let metadata = fs::symlink_metadata(path);
    let metadata = metadata.with_context(|| format!("failed to read {}", path.display()))?;
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
