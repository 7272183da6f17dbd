//! A transcript as a file: reading, appending, locking.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use aside_user_files::open::{open_file, open_file_to_append};

use crate::contents::{self, Contents, MAX_LINE_BYTES};
use crate::error::{TranscriptError, TranscriptErrorKind};
use crate::record::Record;

/// A transcript that is open for appending, locked against other writers.
///
/// Lines are never changed.
#[derive(Debug)]
pub struct Transcript {
    file: File,
    path: PathBuf,
    /// The offset of the next line, in bytes.
    end: u64,
    /// True if an incomplete line could not be removed.
    is_broken: bool,
}

/// Reads a transcript without locking or changing it. A line that another
/// process is writing is reported as [`Contents::torn`].
///
/// # Errors
///
/// The file does not exist, or a line that ends with a newline is not a record.
pub fn read(path: &Path) -> Result<Contents, TranscriptError> {
    let file = open_file(path)?.into_file();
    let scanned = contents::scan(path, BufReader::new(file))?;
    Ok(scanned.contents)
}

impl Transcript {
    /// Creates a transcript that only the user can read.
    ///
    /// # Errors
    ///
    /// The file exists, or cannot be created.
    pub fn create(path: &Path) -> Result<Self, TranscriptError> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options
            .open(path)
            .map_err(|error| TranscriptError::io(path, error))?;
        lock(path, &file)?;
        Ok(Self {
            file,
            path: path.to_owned(),
            end: 0,
            is_broken: false,
        })
    }

    /// Opens a transcript to append to it. An incomplete last line is removed
    /// and reported in [`Contents::torn`].
    ///
    /// # Errors
    ///
    /// The file does not exist, another process writes it, or a line that ends
    /// with a newline is not a record. Then the file is unchanged.
    pub fn open(path: &Path) -> Result<(Self, Contents), TranscriptError> {
        let file = open_file_to_append(path)?.into_file();
        lock(path, &file)?;
        let scanned = contents::scan(path, BufReader::new(&file))?;
        let mut transcript = Self {
            file,
            path: path.to_owned(),
            end: scanned.end,
            is_broken: false,
        };
        if scanned.contents.torn.is_some() {
            transcript
                .cut()
                .map_err(|error| TranscriptError::io(path, error))?;
        }
        if scanned.lacks_newline {
            transcript.write(b"\n")?;
        }
        Ok((transcript, scanned.contents))
    }

    /// Appends a line with one write. If it fails, nothing of the line stays.
    ///
    /// # Errors
    ///
    /// The write fails, or the line is longer than 64 MiB.
    pub fn append(&mut self, record: &Record) -> Result<(), TranscriptError> {
        let line = record.line();
        if line.len() as u64 > MAX_LINE_BYTES {
            return Err(contents::too_long(&self.path));
        }
        self.write(&line)
    }

    /// After a line that could neither be completed nor removed, every later
    /// write fails: it would be appended to the incomplete line.
    fn write(&mut self, line: &[u8]) -> Result<(), TranscriptError> {
        if self.is_broken {
            let detail = "an earlier line is incomplete";
            return Err(TranscriptError::new(
                TranscriptErrorKind::Io,
                &self.path,
                detail,
            ));
        }
        let written = self.file.write_all(line).and_then(|()| self.file.flush());
        if let Err(error) = written {
            self.is_broken = self.cut().is_err();
            return Err(TranscriptError::io(&self.path, error));
        }
        self.end += line.len() as u64;
        Ok(())
    }

    /// Truncates the file to its last complete line.
    fn cut(&self) -> std::io::Result<()> {
        self.file.set_len(self.end)
    }
}

/// Locks the file. The lock is released when the file is closed, also by a
/// crash.
fn lock(path: &Path, file: &File) -> Result<(), TranscriptError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => TranscriptError::new(
            TranscriptErrorKind::Locked,
            path,
            "another process writes it",
        ),
        TryLockError::Error(error) => TranscriptError::io(path, error),
    })
}
