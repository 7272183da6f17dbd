//! Opens the logs that arguments name, and reads one after the other.
//!
//! ```text
//! file, directory, pattern, - ─ list_logs ─> paths ─ LogFiles ─> Exchange, or LogFault
//! ```
//!
//! A log that cannot be read is a fault between the exchanges, and the rest is read.

mod raw;

use std::fmt;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::vec;

use aside_user_files::open::{NamedInput, list_inputs};

use self::raw::RawBodies;
pub use self::raw::raw_requests;
use crate::error::LogError;
use crate::exchange::Exchange;
use crate::guess::Format;
use crate::read::{Exchanges, ReadOptions, read_with};

/// The size of a read of a log, in bytes.
const READ_BYTES: usize = 256 << 10;

/// The ends of the names of logs in a directory, without that of a compressed file.
const LOG_NAMES: [&str; 7] = ["jsonl", "ndjson", "json", "har", "yaml", "yml", "log"];

/// The logs that some arguments name.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct LogListing {
    /// Files, directories of raw bodies, and `-` for stdin.
    pub paths: Vec<PathBuf>,
    /// Directories that could not be read.
    pub faults: Vec<LogFault>,
}

/// A log, or a part of one, that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogFault {
    /// The log.
    pub path: PathBuf,
    /// The cause, with the line if there is one.
    pub message: String,
    /// True if an argument names the log, and it could not be opened.
    pub is_usage: bool,
}

impl LogFault {
    fn new(path: &Path, message: impl fmt::Display) -> Self {
        Self {
            path: path.to_owned(),
            message: message.to_string(),
            is_usage: false,
        }
    }
}

impl fmt::Display for LogFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

impl std::error::Error for LogFault {}

/// Lists the logs that arguments name: files, directories, patterns such as
/// `logs/*.jsonl`, and `-` for stdin.
///
/// An argument without any log is a fault with `is_usage`.
#[must_use]
pub fn list_logs(arguments: &[PathBuf]) -> LogListing {
    let mut listing = LogListing::default();
    for argument in arguments {
        if raw::is_raw(argument) {
            listing.paths.push(argument.clone());
            continue;
        }
        let found = list_inputs(std::slice::from_ref(argument), is_log);
        let faults = found.faults.into_iter();
        listing
            .faults
            .extend(faults.map(|fault| LogFault::new(fault.path(), fault.message())));
        if found.files.is_empty() {
            listing.faults.push(LogFault {
                is_usage: true,
                ..LogFault::new(argument, "no log found")
            });
        }
        listing.paths.extend(found.files);
    }
    listing
}

/// The requests of logs, one log after the other.
///
/// ```
/// use aside_request_logs::{LogFiles, ReadOptions};
///
/// # let directory = tempfile::tempdir()?;
/// # std::fs::write(directory.path().join("a.jsonl"), "{\"model\":\"m\",\"messages\":[]}\n")?;
/// let logs = LogFiles::new(&[directory.path().to_owned()], ReadOptions::default());
/// assert_eq!(logs.filter_map(Result::ok).count(), 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct LogFiles {
    arguments: Vec<PathBuf>,
    options: ReadOptions,
    faults: vec::IntoIter<LogFault>,
    paths: vec::IntoIter<PathBuf>,
    /// The log that is read.
    path: PathBuf,
    log: Option<Log>,
}

/// An open log.
#[derive(Debug)]
enum Log {
    File(Box<Exchanges<BufReader<NamedInput>>>),
    Directory(RawBodies),
}

impl LogFiles {
    /// Lists the logs that arguments name, as [`list_logs`] does. Nothing is read before
    /// the first item, except for the start of each of several logs: they are in the
    /// order of their first requests, because a cache is older than what reads it.
    /// Transcripts are read in the order of their paths, since their sessions have
    /// caches of their own.
    #[must_use]
    pub fn new(arguments: &[PathBuf], options: ReadOptions) -> Self {
        let mut listing = list_logs(arguments);
        if listing.paths.len() > 1 && options.format != Some(Format::Transcript) {
            listing
                .paths
                .sort_by_cached_key(|path| first_time(path, options));
        }
        Self {
            arguments: arguments.to_vec(),
            options,
            faults: listing.faults.into_iter(),
            paths: listing.paths.into_iter(),
            path: PathBuf::new(),
            log: None,
        }
    }

    /// Returns the log of the last item.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn open(&mut self) -> Result<(), LogFault> {
        if self.path.is_dir() {
            self.log = Some(Log::Directory(RawBodies::open(&self.path)?));
            return Ok(());
        }
        let input = NamedInput::open(&self.path).map_err(|error| LogFault {
            is_usage: self.arguments.contains(&self.path),
            ..LogFault::new(&self.path, format!("failed to read: {}", error.message()))
        })?;
        let reader = BufReader::with_capacity(READ_BYTES, input);
        self.log = Some(Log::File(Box::new(read_with(reader, self.options))));
        Ok(())
    }
}

impl Iterator for LogFiles {
    type Item = Result<Exchange, LogFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(fault) = self.faults.next() {
            fault.path.clone_into(&mut self.path);
            return Some(Err(fault));
        }
        loop {
            let next: Option<Result<Exchange, LogError>> = match &mut self.log {
                Some(Log::File(exchanges)) => exchanges.next(),
                Some(Log::Directory(bodies)) => match bodies.next() {
                    Some(Err(fault)) => return Some(Err(fault)),
                    other => other.and_then(Result::ok).map(Ok),
                },
                None => None,
            };
            if let Some(next) = next {
                return Some(next.map_err(|error| LogFault::new(&self.path, error)));
            }
            self.log = None;
            self.path = self.paths.next()?;
            if let Err(fault) = self.open() {
                return Some(Err(fault));
            }
        }
    }
}

/// Returns the time of the first request of a log.
fn first_time(path: &Path, options: ReadOptions) -> Option<Duration> {
    if path == Path::new("-") || path.is_dir() {
        return None;
    }
    let input = BufReader::new(NamedInput::open(path).ok()?);
    read_with(input, options).find_map(Result::ok)?.at
}

/// Returns true if a file of a directory has the name of a log.
fn is_log(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let name = [".gz", ".zst", ".zstd"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name);
    LOG_NAMES.iter().any(|end| {
        let stem = name.strip_suffix(end);
        stem.is_some_and(|stem| stem.ends_with('.'))
    })
}
