//! A file that is replaced as a whole.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read, Result as IoResult, Write};
use std::path::{Path, PathBuf};

use aside_user_files::open::open_file;

use crate::error::{TranscriptError, TranscriptErrorKind};
use crate::session_file::open_private;

const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A file that stores the state of a session whose history is kept elsewhere. It is replaced
/// atomically: a killed process leaves the old state or the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    path: PathBuf,
}

impl Snapshot {
    /// Returns the snapshot at this path. Creates nothing.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Reads the file, without a byte order mark; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not UTF-8, or is longer than 64 MiB.
    pub fn read(&self) -> Result<Option<String>, TranscriptError> {
        // Any other fault counts as a failed read, never to replace a state by mistake.
        let found = fs::symlink_metadata(&self.path);
        if found.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Ok(None);
        }
        let mut text = String::new();
        let mut limited = open_file(&self.path)?.into_file().take(MAX_BYTES + 1);
        limited
            .read_to_string(&mut text)
            .map_err(|error| TranscriptError::io(&self.path, &error))?;
        if text.len() as u64 > MAX_BYTES {
            let kind = TranscriptErrorKind::TooLong;
            return Err(TranscriptError::new(kind, &self.path, "more than 64 MiB"));
        }
        let without_mark = text.strip_prefix('\u{feff}').map(str::to_owned);
        Ok(Some(without_mark.unwrap_or(text)))
    }

    /// Replaces the file: writes a new one next to it, readable by the user only, synchronizes it
    /// and renames it.
    ///
    /// # Errors
    ///
    /// The file cannot be written. The old one stays.
    pub fn replace(&self, text: &str) -> Result<(), TranscriptError> {
        let mut new = self.path.as_os_str().to_owned();
        new.push(format!(".{}.new", std::process::id()));
        let new = Path::new(&new);
        let write = || -> IoResult<()> {
            let options = &mut OpenOptions::new();
            let mut file = open_private(options.write(true).create(true).truncate(true), new)?;
            file.write_all(text.as_bytes())?;
            file.sync_data()?;
            fs::rename(new, &self.path)
        };
        let written = write();
        if written.is_err() {
            let _ = fs::remove_file(new);
        }
        written.map_err(|error| TranscriptError::io(&self.path, &error))
    }
}
