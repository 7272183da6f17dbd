//! A session as an append-only file: reading, appending, locking.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Error, ErrorKind, Read, Result as IoResult, Write};
use std::path::{Path, PathBuf};

use aside_user_files::open::{open_file, open_file_to_append};

use crate::contents::{self, Contents, MAX_LINE_BYTES, Scanned};
use crate::error::{TranscriptError, TranscriptErrorKind};
use crate::owner::Owner;
use crate::record::Record;

const MAX_CALLER_BYTES: u64 = 512 * 1024 * 1024;

/// A file open for appending, locked against other writers.
///
/// Lines are never changed.
#[derive(Debug)]
pub struct SessionFile {
    file: File,
    path: PathBuf,
    pub(crate) owner: Owner,
    /// The highest number of a note.
    pub(crate) notes: u64,
    /// Where the next line goes.
    end: u64,
    /// True if an incomplete line could not be removed.
    is_broken: bool,
}

/// Reads a transcript without locking or changing it. A line that another
/// process is still writing is reported as [`Contents::torn`].
///
/// # Errors
///
/// The file does not exist, or a line that ends with a newline is not a record.
pub fn read(path: &Path) -> Result<Contents, TranscriptError> {
    let file = open_file(path)?.into_file();
    let scanned = contents::scan(path, BufReader::new(file))?;
    Ok(scanned.contents)
}

impl SessionFile {
    /// Creates a transcript that only the user can read.
    ///
    /// # Errors
    ///
    /// The file exists, or cannot be created.
    pub fn create(path: &Path) -> Result<Self, TranscriptError> {
        let file = create(path).map_err(|error| TranscriptError::io(path, &error))?;
        let file = Self::new(path, file, Owner::Session);
        file.lock()?;
        Ok(file)
    }

    /// Opens a file to append to it. An incomplete last line is removed and
    /// reported in [`Contents::torn`]; in a caller's file, only the beginning of a line that a call
    /// writes is one.
    ///
    /// A caller's file is created when it does not exist, and the call waits while another process
    /// holds it.
    ///
    /// # Errors
    ///
    /// The file does not exist, another process is writing it, or a line that
    /// ends with a newline cannot be read. The file is then unchanged.
    pub fn open(path: &Path, owner: Owner) -> Result<(Self, Contents), TranscriptError> {
        let created = match owner {
            Owner::Caller if !path.exists() => create(path),
            _ => Err(Error::from(ErrorKind::AlreadyExists)),
        };
        let file = match created {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                open_file_to_append(path)?.into_file()
            }
            created => created.map_err(|error| TranscriptError::io(path, &error))?,
        };
        let mut file = Self::new(path, file, owner);
        file.lock()?;
        let scanned = match owner {
            Owner::Session => contents::scan(path, BufReader::new(&file.file))?,
            Owner::Caller => file.scan_lines_of_caller()?,
        };
        file.end = scanned.end;
        file.notes = scanned.contents.numbers.iter().copied().max().unwrap_or(0);
        if scanned.contents.torn.is_some() {
            file.cut().map_err(|error| TranscriptError::io(path, &error))?;
        }
        if scanned.lacks_newline {
            file.write(b"\n")?;
        }
        Ok((file, scanned.contents))
    }

    /// Locks the file.
    fn new(path: &Path, file: File, owner: Owner) -> Self {
        Self { file, path: path.to_owned(), owner, notes: 0, end: 0, is_broken: false }
    }

    /// Closing the file releases the lock, also in a crash. A caller's call takes a moment and a
    /// run may take hours, so this waits for the former only.
    fn lock(&self) -> Result<(), TranscriptError> {
        let locked = match self.owner {
            Owner::Session => self.file.try_lock(),
            Owner::Caller => self.file.lock().map_err(TryLockError::Error),
        };
        locked.map_err(|error| match error {
            TryLockError::WouldBlock => TranscriptError::new(
                TranscriptErrorKind::Locked,
                &self.path,
                "another process writes it",
            ),
            TryLockError::Error(error) => TranscriptError::io(&self.path, &error),
        })
    }

    fn scan_lines_of_caller(&mut self) -> Result<Scanned, TranscriptError> {
        let mut text = String::new();
        let mut limited = (&mut self.file).take(MAX_CALLER_BYTES + 1);
        let length = limited
            .read_to_string(&mut text)
            .map_err(|error| TranscriptError::io(&self.path, &error))?;
        if length as u64 > MAX_CALLER_BYTES {
            let detail = format!("more than {MAX_CALLER_BYTES} bytes");
            let kind = TranscriptErrorKind::TooLong;
            return Err(TranscriptError::new(kind, &self.path, detail));
        }
        contents::scan_of_caller(&self.path, &text)
    }

    /// Appends records with one write, a line each. On failure, nothing of them stays.
    ///
    /// When this returns, a caller's lines are on disk; a session's lines may be lost if the
    /// machine crashes.
    ///
    /// # Errors
    ///
    /// The write fails, or a line is longer than 64 MiB.
    pub fn append(&mut self, records: &[Record]) -> Result<(), TranscriptError> {
        let owner = self.owner;
        self.append_lines(records.iter().map(|record| record.line(owner)))
    }

    /// Appends records as their lines, with one write.
    pub(crate) fn append_lines(
        &mut self,
        each: impl IntoIterator<Item = Vec<u8>>,
    ) -> Result<(), TranscriptError> {
        let mut lines = Vec::new();
        for line in each {
            if line.len() as u64 > MAX_LINE_BYTES {
                return Err(contents::too_long(&self.path));
            }
            if lines.is_empty() {
                lines = line;
            } else {
                lines.extend_from_slice(&line);
            }
        }
        self.write(&lines)
    }

    /// Once a line could neither be completed nor removed, every later write
    /// fails: it would continue that line.
    fn write(&mut self, lines: &[u8]) -> Result<(), TranscriptError> {
        if self.is_broken {
            let (kind, detail) = (TranscriptErrorKind::Io, "an earlier line is incomplete");
            return Err(TranscriptError::new(kind, &self.path, detail));
        }
        let written = self.file.write_all(lines).and_then(|()| match self.owner {
            Owner::Session => self.file.flush(),
            Owner::Caller => self.file.sync_data(),
        });
        if let Err(error) = written {
            self.is_broken = self.cut().is_err();
            return Err(TranscriptError::io(&self.path, &error));
        }
        self.end += lines.len() as u64;
        Ok(())
    }

    fn cut(&self) -> IoResult<()> {
        self.file.set_len(self.end)
    }
}

fn create(path: &Path) -> IoResult<File> {
    open_private(OpenOptions::new().read(true).append(true).create_new(true), path)
}

/// Opens a file. One that this creates is readable by the user only.
pub(crate) fn open_private(options: &mut OpenOptions, path: &Path) -> IoResult<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)
}
