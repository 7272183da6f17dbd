//! Opens the logs that arguments name, and reads their requests by time.
//!
//! ```text
//! file, directory, pattern, - ─ list_logs ─> paths ─ LogFiles ─> Exchange, or LogFault
//! ```
//!
//! A log that cannot be read is a fault between the exchanges, and the rest is read.

mod raw;

use std::collections::HashSet;
use std::fmt;
use std::io::BufReader;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::vec;

use aside_user_files::open::{FileKey, NamedInput, list_inputs, open_file};

use self::raw::RawBodies;
pub use self::raw::raw_requests;
use crate::agent::Agent;
use crate::exchange::Exchange;
use crate::guess::Format;
use crate::read::{Exchanges, ReadOptions, read_with};

/// The size of a read of a log, in bytes.
const READ_BYTES: usize = 256 << 10;

/// How many logs to read at a time.
const MAX_OPEN_LOGS: usize = 64;

/// How many bytes of bodies may wait for another log to be opened.
const MAX_WAITING_BYTES: usize = 256 << 20;

/// The size of the longest path of a project that is read, in bytes.
const MAX_PATH_BYTES: u64 = 64 << 10;

/// The first time, since 1970, that is a date: before it, a log has times of its own.
const FIRST_DATE: Duration = Duration::from_secs(100_000_000);

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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", path.display())]
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
        Self { path: path.to_owned(), message: message.to_string(), is_usage: false }
    }
}

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
        listing.faults.extend(faults.map(|fault| LogFault::new(fault.path(), fault.message())));
        if found.files.is_empty() {
            listing
                .faults
                .push(LogFault { is_usage: true, ..LogFault::new(argument, "no log found") });
        }
        listing.paths.extend(found.files);
    }
    listing
}

/// The requests of logs, by their times: logs that overlap, such as the sessions that a proxy
/// records, are merged. Requests without a date come in the order of their logs.
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
    /// The logs to read, by the times of their first requests; without these if they are not
    /// merged.
    waiting: Peekable<vec::IntoIter<(Option<Duration>, PathBuf)>>,
    /// The logs that are read.
    open: Vec<OpenLog>,
    /// The log of the last item.
    path: PathBuf,
}

#[derive(Debug)]
struct OpenLog {
    path: PathBuf,
    log: Log,
    /// The project's directory if Gemini CLI keeps it next to the sessions, which have only its
    /// hash.
    project: Option<String>,
    /// Its next item, once it is read.
    next: Option<Result<Exchange, LogFault>>,
}

/// An open log.
#[derive(Debug)]
enum Log {
    File(Box<Exchanges<BufReader<NamedInput>>>),
    Directory(RawBodies),
}

impl LogFiles {
    /// Lists the logs that arguments name, as [`list_logs`] does. Nothing is read before
    /// the first item, except for the start of each of several logs: requests are in the
    /// order of their times, because a cache is older than what reads it.
    /// Transcripts are read in the order of their paths, since their sessions have
    /// caches of their own. A log with several names is read once.
    #[must_use]
    pub fn new(arguments: &[PathBuf], options: ReadOptions) -> Self {
        let mut listing = list_logs(arguments);
        let mut seen = HashSet::new();
        listing.paths.retain(|it| FileKey::at(it).is_none_or(|key| seen.insert(key)));
        let is_merged = listing.paths.len() > 1 && options.format != Some(Format::Transcript);
        // A single log, which may be a pipe, is read once.
        let first = |path: &Path| is_merged.then(|| first_time(path, options))?;
        let paths = listing.paths.into_iter();
        let mut waiting: Vec<_> = paths.map(|path| (first(&path), path)).collect();
        waiting.sort_by_key(|it| it.0);
        Self {
            arguments: arguments.to_vec(),
            options,
            faults: listing.faults.into_iter(),
            waiting: waiting.into_iter().peekable(),
            open: Vec::new(),
            path: PathBuf::new(),
        }
    }

    /// Returns the log of the last item.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn open(&self, path: &Path) -> Result<Log, LogFault> {
        if path.is_dir() {
            return Ok(Log::Directory(RawBodies::open(path)?));
        }
        let input = open_input(path, &self.arguments)?;
        let reader = BufReader::with_capacity(READ_BYTES, input);
        Ok(Log::File(Box::new(read_with(reader, self.options))))
    }

    /// Returns true if the next log is to be opened: none is open, or it begins before all items
    /// that are read.
    fn is_next_due(&mut self) -> bool {
        let Some((first, _)) = self.waiting.peek() else {
            return false;
        };
        let first = first.filter(|it| *it >= FIRST_DATE);
        match self.open.iter().map(OpenLog::date).min() {
            None => true,
            Some(earliest) if first.is_none() || first >= earliest => false,
            Some(_) => {
                let waiting: usize = self.open.iter().map(OpenLog::waiting_bytes).sum();
                self.open.len() < MAX_OPEN_LOGS && waiting < MAX_WAITING_BYTES
            }
        }
    }
}

fn open_input(path: &Path, arguments: &[PathBuf]) -> Result<NamedInput, LogFault> {
    NamedInput::open(path).map_err(|error| LogFault {
        is_usage: arguments.iter().any(|it| it == path),
        ..LogFault::new(path, format!("failed to read: {}", error.message()))
    })
}

/// Returns the fault of the first argument that names no log, or one that cannot be opened, for a
/// reader that could report it too late. A pipe, which can be opened only once, is left alone.
#[must_use]
pub fn unopened(arguments: &[PathBuf]) -> Option<LogFault> {
    let listing = list_logs(arguments);
    let is_tried = |path: &&PathBuf| path.is_file() || (!path.exists() && **path != Path::new("-"));
    // What was found below an argument is reported when it is read.
    let tried = listing.paths.iter().filter(|path| arguments.contains(path)).filter(is_tried);
    let faults = tried.filter_map(|path| open_input(path, arguments).err());
    listing.faults.into_iter().chain(faults).find(|fault| fault.is_usage)
}

impl OpenLog {
    /// Reads its next item, unless it is read. Returns false at the end.
    fn fill(&mut self) -> bool {
        let path = &self.path;
        let read = || match &mut self.log {
            Log::File(exchanges) => {
                let mut next = exchanges.next()?;
                if let (Ok(exchange), Some(project)) = (&mut next, &self.project)
                    && exchange.agent == Some(Agent::GeminiCli)
                {
                    exchange.project = Some(project.clone());
                }
                Some(next.map_err(|error| LogFault::new(path, error)))
            }
            Log::Directory(bodies) => bodies.next(),
        };
        self.next = self.next.take().or_else(read);
        self.next.is_some()
    }

    fn waiting_bytes(&self) -> usize {
        match &self.log {
            Log::File(exchanges) => exchanges.waiting_bytes(),
            Log::Directory(_) => 0,
        }
    }

    /// Returns when its next request was sent. An item without a date comes before all others.
    fn date(&self) -> Option<Duration> {
        let next = self.next.as_ref()?.as_ref().ok()?;
        next.at.filter(|it| *it >= FIRST_DATE)
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
            self.open.retain_mut(OpenLog::fill);
            if self.is_next_due() {
                let (_, path) = self.waiting.next()?;
                self.path.clone_from(&path);
                match self.open(&path) {
                    Ok(log) => {
                        let project = gemini_project(&path);
                        self.open.push(OpenLog { path, log, project, next: None });
                    }
                    Err(fault) => return Some(Err(fault)),
                }
                continue;
            }
            let earliest = self.open.iter_mut().min_by_key(|it| it.date())?;
            self.path.clone_from(&earliest.path);
            return earliest.next.take();
        }
    }
}

/// Returns the project's directory from `.project_root`, which Gemini CLI keeps next to `chats`.
fn gemini_project(path: &Path) -> Option<String> {
    let chats = path.ancestors().find(|it| it.ends_with("chats"))?;
    let root = open_file(&chats.with_file_name(".project_root")).ok()?;
    let root = String::from_utf8(root.read(MAX_PATH_BYTES).ok()?).ok()?;
    Some(root.trim().to_owned()).filter(|it| !it.is_empty())
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
    let name =
        [".gz", ".zst", ".zstd"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    LOG_NAMES.iter().any(|end| {
        let stem = name.strip_suffix(end);
        stem.is_some_and(|stem| stem.ends_with('.'))
    })
}
