//! Detecting changed files without opening them.
//!
//! A file counts as unchanged when its inode, size and times (modification and
//! status change) are the same. A session checks its files before each request,
//! so most checks are one system call without opening.

use std::fs::{self, Metadata};
use std::time::{Duration, UNIX_EPOCH};

use aside_session::{FileIdentity, FileRead, FileStamp};

/// Returns when the file was last modified, since 1970.
pub(crate) fn modified(metadata: &Metadata) -> Option<Duration> {
    let modified = metadata.modified().ok();
    modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok())
}

/// Returns the other metadata that changes with the file.
pub(crate) fn stamp(metadata: &Metadata) -> FileStamp {
    FileStamp { len: metadata.len(), status_changed: status_changed(metadata) }
}

/// Returns true if the file's metadata is the same as when it was read. Takes
/// one system call.
pub(crate) fn is_untouched(then: &FileRead) -> bool {
    let Some(before) = &then.stamp else {
        return false;
    };
    let Ok(now) = fs::metadata(&then.path) else {
        return false;
    };
    now.is_file()
        && stamp(&now) == *before
        && then.modified.is_some()
        && modified(&now) == then.modified
        && is_same_file(&now, &then.identity)
}

#[cfg(unix)]
fn status_changed(metadata: &Metadata) -> Option<Duration> {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).ok()?;
    Some(Duration::new(seconds, nanoseconds))
}

#[cfg(not(unix))]
fn status_changed(_: &Metadata) -> Option<Duration> {
    None
}

#[cfg(unix)]
fn is_same_file(now: &Metadata, then: &FileIdentity) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (device, inode) = (now.dev(), now.ino());
    *then == FileIdentity::Inode { device, inode }
}

#[cfg(not(unix))]
fn is_same_file(_: &Metadata, _: &FileIdentity) -> bool {
    true
}
