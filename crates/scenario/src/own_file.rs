//! Access to a case's files. A link in their place is refused: otherwise
//! a folder by another person could make the runner read any file, and overwrite it
//! with `bless`.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

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

/// Replaces a file: writes a new one next to it and renames it. If this fails, the
/// old bytes stay. The old file is not written to, since it may have other names
/// elsewhere.
///
/// # Errors
///
/// The path is not a file, or the file cannot be written.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<()> {
    is_there(path)?;
    let replaced = written_next_to(path, bytes).and_then(|it| Ok(it.persist(path)?));
    replaced.map(drop).with_context(|| format!("failed to write {}", path.display()))
}

/// Creates a file with all its bytes, or none. Returns false if something has its
/// name, which stays.
///
/// # Errors
///
/// The file cannot be written.
pub fn create_file(path: &Path, bytes: &[u8]) -> Result<bool> {
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    let created = written_next_to(path, bytes).and_then(|it| Ok(it.persist_noclobber(path)?));
    match created {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).with_context(|| format!("failed to write {}", path.display())),
    }
}

/// Writes a file without a lasting name, to rename to `path`; dropped, it is removed.
fn written_next_to(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile<File>> {
    let mut prefix = path.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    // docs/verify.md has git ignore `*.new`, should a killed process leave one.
    let mut name = tempfile::Builder::new();
    let name = name.prefix(&prefix).suffix(".new");
    // Not tempfile's own way, which lets only the user read the file.
    let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = name.make_in(path.parent().unwrap_or(Path::new("")), create)?;
    // Its errors have the path that the user knows, not this one.
    file.as_file_mut().write_all(bytes)?;
    file.as_file().sync_data()?;
    Ok(file)
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
