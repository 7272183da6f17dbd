use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use crate::contents::{self, Contents, LONGEST};
use crate::error::{Error, ErrorKind};
use crate::record::Record;

/// A transcript that is being written, by nobody else.
///
/// It is appended to only; what stands in it is never changed.
#[derive(Debug)]
pub struct Transcript {
    file: File,
    path: PathBuf,
    /// Where the next line begins, in bytes.
    end: u64,
    /// A line broke off, and could not be taken back.
    is_broken: bool,
}

/// Reads a transcript, whoever writes it, and leaves it as it is. A line that
/// is being written just now is told as torn.
///
/// # Errors
/// Where there is no such file, or a line before the last is no record.
pub fn read(path: &Path) -> Result<Contents, Error> {
    let file = open(path, OpenOptions::new().read(true))?;
    let scanned = contents::scan(path, BufReader::new(file))?;
    Ok(scanned.contents)
}

impl Transcript {
    /// Begins a new one, which only the user can read.
    ///
    /// # Errors
    /// Where there is a file already, or none can be made.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| Error::io(path, error))?;
        lock(path, &file)?;
        Ok(Self {
            file,
            path: path.to_owned(),
            end: 0,
            is_broken: false,
        })
    }

    /// Goes on with one. A last line that a crash broke off is cut off, and
    /// told.
    ///
    /// # Errors
    /// Where there is none, somebody else writes it, or a line before the last
    /// is no record. The file is as it was.
    pub fn open(path: &Path) -> Result<(Self, Contents), Error> {
        let file = open(path, OpenOptions::new().read(true).append(true))?;
        lock(path, &file)?;
        let scanned = contents::scan(path, BufReader::new(&file))?;
        let mut transcript = Self {
            file,
            path: path.to_owned(),
            end: scanned.end,
            is_broken: false,
        };
        if scanned.contents.torn.is_some() {
            transcript.cut().map_err(|error| Error::io(path, error))?;
        }
        if scanned.lacks_newline {
            transcript.write(b"\n")?;
        }
        Ok((transcript, scanned.contents))
    }

    /// Appends a line. It is written at once and whole, or not at all.
    ///
    /// # Errors
    /// Where the system refuses, or the line is longer than 64 MiB.
    pub fn append(&mut self, record: &Record) -> Result<(), Error> {
        let line = record.line();
        if line.len() as u64 > LONGEST {
            return Err(contents::too_long(&self.path));
        }
        self.write(&line)
    }

    fn write(&mut self, line: &[u8]) -> Result<(), Error> {
        if self.is_broken {
            let detail = "a line broke off before";
            return Err(Error::new(ErrorKind::Io, &self.path, detail));
        }
        let written = self.file.write_all(line).and_then(|()| self.file.flush());
        if let Err(error) = written {
            self.is_broken = self.cut().is_err();
            return Err(Error::io(&self.path, error));
        }
        self.end += line.len() as u64;
        Ok(())
    }

    /// Cuts off what stands behind the last whole line.
    fn cut(&self) -> std::io::Result<()> {
        self.file.set_len(self.end)
    }
}

/// Opens a file that is there, if it is one.
fn open(path: &Path, options: &OpenOptions) -> Result<File, Error> {
    let io = |error| Error::io(path, error);
    let not_a_file = || Error::new(ErrorKind::NotAFile, path, "not a file");
    // To open a device can have effects, and a FIFO keeps one waiting.
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Err(not_a_file());
    }
    let file = options.open(path).map_err(io)?;
    if !file.metadata().map_err(io)?.is_file() {
        return Err(not_a_file());
    }
    Ok(file)
}

/// The lock goes with the file: it is given back when that is closed, also by
/// a crash.
fn lock(path: &Path, file: &File) -> Result<(), Error> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => {
            Error::new(ErrorKind::Locked, path, "another process writes it")
        }
        TryLockError::Error(error) => Error::io(path, error),
    })
}
