//! An opened file, with the metadata by which a session recognizes later
//! changes.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use aside_session::{FileIdentity, FileRead, FileStamp, ReadExtent};
use aside_user_files::open::{Inode, RegularFile};

use crate::stamp;

/// An open regular file with the metadata for a session to record.
#[derive(Debug)]
pub(crate) struct OpenedFile {
    pub(crate) file: File,
    /// In bytes, when the file was opened.
    pub(crate) len: u64,
    pub(crate) identity: FileIdentity,
    /// When it was last modified, since 1970.
    pub(crate) modified: Option<Duration>,
    pub(crate) stamp: FileStamp,
}

impl OpenedFile {
    pub(crate) fn new(file: RegularFile, resolved: &Path) -> Self {
        let metadata = file.metadata();
        Self {
            modified: stamp::modified(metadata),
            stamp: stamp::stamp(metadata),
            len: metadata.len(),
            identity: match file.inode() {
                Some(Inode { device, inode }) => FileIdentity::Inode { device, inode },
                None => FileIdentity::Path(resolved.to_owned()),
            },
            file: file.into_file(),
        }
    }

    /// Records that the model read the file, to this extent.
    pub(crate) fn into_read(
        self,
        path: &Path,
        extent: ReadExtent,
        text: Option<String>,
    ) -> FileRead {
        FileRead {
            path: path.to_owned(),
            identity: self.identity,
            modified: self.modified,
            stamp: Some(self.stamp),
            extent,
            text: text.map(Into::into),
        }
    }
}
