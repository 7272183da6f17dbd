//! Directory handles on Unix.
//!
//! When a link replaces a directory below a trusted one meanwhile, it cannot
//! lead outside: on Linux the kernel refuses links in a path (`openat2`); on
//! other systems, and on old kernels, the components are opened one by one with
//! `O_NOFOLLOW`.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, fchmod, mkdirat, open, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;

use super::Fault;
use super::entries::{DirEntry, DirEntryKind, Entries};
use super::error::FileKind;

/// Still the same directory when its path changes.
pub(super) type Handle = OwnedFd;

/// To pass through a directory takes only the permission to search it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const THROUGH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const THROUGH: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Takes an absolute path without links.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn open_dir(resolved: &Path) -> Result<Handle, Fault> {
    use rustix::fs::{CWD, ResolveFlags, openat2};

    match openat2(
        CWD,
        resolved,
        THROUGH,
        Mode::empty(),
        ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS,
    ) {
        Err(error) if is_unsupported(error) => {
            let root = open("/", THROUGH, Mode::empty()).map_err(fault)?;
            let below = resolved.strip_prefix("/").unwrap_or(resolved);
            open_dir_by_hand(&root, below)
        }
        opened => opened.map_err(fault),
    }
}

/// Takes an absolute path without links. Directories above a trusted one may be
/// searchable and not readable, so this system cannot open them one by one.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn open_dir(resolved: &Path) -> Result<Handle, Fault> {
    open(resolved, THROUGH | OFlags::NOFOLLOW, Mode::empty()).map_err(fault)
}

/// # Errors
///
/// [`Fault::Link`] for a link in any component, and system errors.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn open_dir_below(dir: &Handle, below: &Path) -> Result<Handle, Fault> {
    use rustix::fs::{ResolveFlags, openat2};

    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(dir, or_itself(below), THROUGH, Mode::empty(), resolve) {
        Err(error) if is_unsupported(error) => open_dir_by_hand(dir, below),
        opened => opened.map_err(fault),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn open_dir_below(dir: &Handle, below: &Path) -> Result<Handle, Fault> {
    open_dir_by_hand(dir, below)
}

/// Old kernels do not have `openat2`, and sandboxes forbid system calls that
/// they do not know.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_unsupported(error: Errno) -> bool {
    matches!(error, Errno::NOSYS | Errno::PERM | Errno::INVAL | Errno::AGAIN)
}

/// Opens a directory below another one, one component at a time.
pub(super) fn open_dir_by_hand(dir: &Handle, below: &Path) -> Result<Handle, Fault> {
    let mut dir = openat(dir, ".", THROUGH, Mode::empty()).map_err(fault)?;
    for part in below.components() {
        let Component::Normal(part) = part else {
            continue;
        };
        let opened = openat(&dir, part, THROUGH | OFlags::NOFOLLOW, Mode::empty());
        dir = match opened {
            Ok(opened) => opened,
            // For a link, systems return different errors.
            Err(_) if is_link(&dir, part) => return Err(Fault::Link),
            Err(error) => return Err(fault(error)),
        };
    }
    Ok(dir)
}

/// Opens a regular file in a directory.
///
/// Never blocks: anything but a file is refused before it is opened, and a FIFO
/// that appears meanwhile is opened without waiting for a writer.
pub(super) fn open_file(dir: &Handle, name: &OsStr) -> Result<File, Fault> {
    let found = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map_err(fault)?;
    // Opening a device can have side effects.
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => {}
        FileType::Symlink => return Err(Fault::Link),
        other => return Err(Fault::Special(kind(other))),
    }
    // A FIFO or a link may have replaced it.
    let flags =
        OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(dir, name, flags, Mode::empty()).map_err(fault)?;
    Ok(File::from(file))
}

/// Does nothing when something has the name already.
pub(super) fn create_dir(dir: &Handle, name: &OsStr) -> Result<(), Fault> {
    match mkdirat(dir, name, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(fault(error)),
    }
}

/// Creates or replaces a regular file: writes it under the name `temporary`,
/// then renames it. An existing file keeps its permissions, but for the bits that
/// make it run as its owner or group: they were given to the old contents.
pub(super) fn replace_file(
    dir: &Handle,
    name: &OsStr,
    temporary: &OsStr,
    contents: &[u8],
) -> Result<(), Fault> {
    let before = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Some(found.st_mode),
        Err(Errno::NOENT) => None,
        Err(error) => return Err(fault(error)),
    };
    match before.map(FileType::from_raw_mode) {
        None | Some(FileType::RegularFile) => {}
        Some(FileType::Symlink) => return Err(Fault::Link),
        Some(other) => return Err(Fault::Special(kind(other))),
    }
    let mode = before.map(|mode| Mode::from_raw_mode(mode & 0o777));
    let mut file = create_temporary(dir, temporary, mode)?;
    let written = file
        .write_all(contents)
        .and_then(|()| match mode {
            Some(mode) => Ok(fchmod(&file, mode)?),
            None => Ok(()),
        })
        .and_then(|()| Ok(renameat(dir, temporary, dir, name)?));
    written.map_err(|error| {
        // The first error counts.
        let _ = unlinkat(dir, temporary, AtFlags::empty());
        Fault::Io(error)
    })
}

/// Creates the file that will replace one with this mode. Until it is complete, nobody else reads
/// it: a process that is killed leaves it.
pub(super) fn create_temporary(
    dir: &Handle,
    name: &OsStr,
    mode: Option<Mode>,
) -> Result<File, Fault> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = mode.map_or(Mode::from_raw_mode(0o666), |mode| mode & Mode::RWXU);
    Ok(File::from(openat(dir, name, flags, mode).map_err(fault)?))
}

/// Returns at most `limit` entries; more set `is_cut`.
pub(super) fn entries(dir: &Handle, limit: usize) -> io::Result<Entries> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let readable = openat(dir, ".", flags, Mode::empty())?;
    let listing = Dir::new(readable)?;
    let entries = listing.filter_map(|entry| match entry {
        Ok(entry) => {
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            let is_self = name == "." || name == "..";
            (!is_self).then(|| {
                Ok(DirEntry {
                    kind: entry_kind(dir, name, entry.file_type()),
                    name: name.to_owned(),
                })
            })
        }
        Err(error) => Some(Err(io::Error::from(error))),
    });
    Entries::collect(entries, limit)
}

/// Returns an entry's type, and looks it up when the listing has none.
fn entry_kind(dir: &Handle, name: &OsStr, found: FileType) -> DirEntryKind {
    match found {
        FileType::RegularFile => DirEntryKind::File,
        FileType::Directory => DirEntryKind::Directory,
        FileType::Symlink => DirEntryKind::Link,
        // Some file systems do not return the type in the listing.
        FileType::Unknown => match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => match FileType::from_raw_mode(found.st_mode) {
                FileType::Unknown => DirEntryKind::Special,
                found => entry_kind(dir, name, found),
            },
            Err(_) => DirEntryKind::Special,
        },
        _ => DirEntryKind::Special,
    }
}

fn kind(found: FileType) -> FileKind {
    match found {
        FileType::Directory => FileKind::Directory,
        FileType::Fifo => FileKind::Fifo,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
        _ => FileKind::Other,
    }
}

/// Returns true if an entry is a symbolic link now.
fn is_link(dir: &Handle, name: &OsStr) -> bool {
    let found = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW);
    found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Symlink)
}

/// Converts a system error; a loop is a link that was refused.
fn fault(error: Errno) -> Fault {
    match error {
        Errno::LOOP => Fault::Link,
        error => Fault::Io(error.into()),
    }
}

/// Returns `.` for an empty path, which the system would refuse.
fn or_itself(below: &Path) -> &Path {
    if below == Path::new("") { Path::new(".") } else { below }
}
