//! Directories identified by path, for systems without directory handles: every component is
//! checked, and then the path is opened.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Fault;
use super::entries::{DirEntry, DirEntryKind, Entries};
use super::error::FileKind;

pub(super) type Handle = PathBuf;

/// Takes an absolute path without links.
pub(super) fn open_dir(resolved: &Path) -> Result<Handle, Fault> {
    if fs::metadata(resolved)?.is_dir() {
        return Ok(resolved.to_owned());
    }
    Err(io::Error::from(io::ErrorKind::NotADirectory).into())
}

pub(super) fn open_dir_below(dir: &Handle, below: &Path) -> Result<Handle, Fault> {
    let mut path = dir.clone();
    for part in below.components() {
        path.push(part);
        let found = fs::symlink_metadata(&path)?;
        if found.is_symlink() {
            return Err(Fault::Link);
        }
        if !found.is_dir() {
            return Err(io::Error::from(io::ErrorKind::NotADirectory).into());
        }
    }
    Ok(path)
}

pub(super) fn open_file(dir: &Handle, name: &OsStr) -> Result<File, Fault> {
    let path = dir.join(name);
    let found = fs::symlink_metadata(&path)?.file_type();
    if found.is_symlink() {
        return Err(Fault::Link);
    }
    if !found.is_file() {
        return Err(Fault::Special(FileKind::of(found)));
    }
    Ok(File::open(path)?)
}

/// Does nothing when something has the name already.
pub(super) fn create_dir(dir: &Handle, name: &OsStr) -> Result<(), Fault> {
    match fs::create_dir(dir.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error.into()),
        _ => Ok(()),
    }
}

/// Creates or replaces a regular file: writes it under the name `temporary`, then renames it. An
/// existing file keeps its permissions.
pub(super) fn replace_file(
    dir: &Handle,
    name: &OsStr,
    temporary: &OsStr,
    contents: &[u8],
) -> Result<(), Fault> {
    let path = dir.join(name);
    let permissions = match fs::symlink_metadata(&path) {
        Ok(found) if found.is_symlink() => return Err(Fault::Link),
        Ok(found) if !found.is_file() => {
            return Err(Fault::Special(FileKind::of(found.file_type())));
        }
        Ok(found) => Some(found.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let temporary = dir.join(temporary);
    let mut file = File::create_new(&temporary)?;
    let restricted = match permissions {
        Some(permissions) => fs::set_permissions(&temporary, permissions),
        None => Ok(()),
    };
    let written = restricted
        .and_then(|()| file.write_all(contents))
        .and_then(|()| fs::rename(&temporary, &path));
    written.map_err(|error| {
        // The first error counts.
        let _ = fs::remove_file(&temporary);
        Fault::Io(error)
    })
}

pub(super) fn entries(dir: &Handle, limit: usize) -> io::Result<Entries> {
    let entries = fs::read_dir(dir)?.map(|entry| {
        let entry = entry?;
        let found = entry.file_type()?;
        let kind = if found.is_file() {
            DirEntryKind::File
        } else if found.is_dir() {
            DirEntryKind::Directory
        } else if found.is_symlink() {
            DirEntryKind::Link
        } else {
            DirEntryKind::Special
        };
        Ok::<_, io::Error>(DirEntry { name: entry.file_name(), kind })
    });
    Entries::collect(entries, limit)
}
