use std::ffi::OsString;

/// A directory listing, sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// The entries, without `.` and `..`.
    pub list: Vec<DirEntry>,
    /// True if there are more entries than the limit. The system decides which
    /// of them to leave out.
    pub is_cut: bool,
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// The name, one part of a path.
    pub name: OsString,
    /// The entry's type when it was listed.
    pub kind: DirEntryKind,
}

/// What a directory entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DirEntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A FIFO, a socket, a device.
    Special,
}

impl Entries {
    /// Collects entries up to a limit, and sorts them by name.
    pub(super) fn collect<E>(
        entries: impl Iterator<Item = Result<DirEntry, E>>,
        limit: usize,
    ) -> Result<Self, E> {
        let mut found = Self::default();
        for entry in entries {
            if found.list.len() == limit {
                found.is_cut = true;
                break;
            }
            found.list.push(entry?);
        }
        found.list.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }
}
