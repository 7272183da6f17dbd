//! Opens logs and passes their requests to a callback: the one way in which commands
//! read logs.
//!
//! `aside-request-logs` reads the formats, and `aside_inspect::rows` turns exchanges into
//! requests for the cache model. This module finds and opens the files.
//!
//! ```text
//! file, directory, pattern, - ─ read_with ─> Exchange ─ RequestReader ─> LogItem ─> callback
//! ```
//!
//! An entry that cannot be read is a warning, and the rest of the log is used.

use std::fs;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use aside_inspect::rows::{LogItem, LogNotes, RequestOptions, RequestReader};
use aside_request_logs::{
    Exchange, Format, LogError, ReadOptions, raw_body_exchange, raw_body_index, read_with,
};
use aside_user_files::open::list_inputs;

use crate::Failure;
use crate::arguments::LogArguments;
use crate::counter::Counter;
use crate::input::{self, Input, MAX_BODY_BYTES};
use crate::{kinds, output};

/// The size of a read of a log, in bytes.
const READ_BYTES: usize = 256 << 10;

/// The ends of the names of logs in a directory, without that of a compressed file.
const LOG_NAMES: [&str; 7] = ["jsonl", "ndjson", "json", "har", "yaml", "yml", "log"];

/// The end of the name of a request in a directory of raw bodies.
const RAW_REQUEST: &str = ".request.json";

/// Some logs and how to read them.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    /// Files, directories, patterns, and - for stdin.
    pub(crate) paths: Vec<PathBuf>,
    /// The format; by default that of each log is detected.
    pub(crate) format: Option<Format>,
    pub(crate) options: RequestOptions,
}

/// The function that is called for each item, in the order of the logs. Its error ends the
/// reading.
pub(crate) type Each<'a> = dyn FnMut(LogItem) -> Result<(), Failure> + 'a;

impl LogArguments {
    /// Returns the logs in the form in which they are read.
    pub(crate) fn logs(&self) -> Logs {
        let mut options = RequestOptions::default();
        options.every = self.every;
        options.rules.clone_from(&self.rules);
        options.flips.clone_from(&self.flip);
        Logs {
            paths: self.log.clone(),
            format: self.format,
            options,
        }
    }
}

impl Logs {
    /// Reads all logs to their ends.
    ///
    /// # Errors
    /// A log that is named and cannot be opened is a usage error. Fails with exit code 1
    /// if there are faults and not a single request, and with the error of the callback.
    /// A log that is empty, or has only failed requests, is no error.
    pub(crate) fn each(&self, each: &mut Each<'_>) -> Result<LogNotes, Failure> {
        let mut reader = LogReader::new(self, each);
        for path in reader.files()? {
            reader.path = path.clone();
            if path.is_dir() {
                reader.directory(&path)?;
                continue;
            }
            match Input::open(&path) {
                Ok(input) => reader.log(input)?,
                Err(error) if self.paths.contains(&path) => return Err(Failure::usage(error)),
                Err(error) => reader.fault(&format!("{error:#}")),
            }
        }
        reader.finish()
    }

    /// Reads a log that is open already. The paths name it in messages.
    ///
    /// # Errors
    /// As [`each`](Self::each).
    pub(crate) fn each_of(
        &self,
        input: impl Read,
        each: &mut Each<'_>,
    ) -> Result<LogNotes, Failure> {
        let mut reader = LogReader::new(self, each);
        reader.log(input)?;
        reader.finish()
    }
}

/// The state of the reading of some logs.
struct LogReader<'a, 'b> {
    logs: &'a Logs,
    each: &'a mut Each<'b>,
    reader: RequestReader,
    /// The log that is read, for messages.
    path: PathBuf,
    counter: Counter,
}

impl<'a, 'b> LogReader<'a, 'b> {
    fn new(logs: &'a Logs, each: &'a mut Each<'b>) -> Self {
        Self {
            logs,
            each,
            reader: RequestReader::new(logs.options.clone()),
            path: logs.paths.first().cloned().unwrap_or_default(),
            counter: Counter::new("requests"),
        }
    }

    /// Lists the logs: files, and directories of raw bodies. Several logs are in the order
    /// of their first requests, because a cache is older than what reads it; sessions have
    /// caches of their own.
    fn files(&mut self) -> Result<Vec<PathBuf>, Failure> {
        let mut files = Vec::new();
        for path in &self.logs.paths {
            if path.is_dir() && is_raw(path) {
                files.push(path.clone());
                continue;
            }
            let listing = list_inputs(std::slice::from_ref(path), is_log);
            for fault in listing.faults {
                fault.path().clone_into(&mut self.path);
                self.fault(&fault.message());
            }
            if listing.files.is_empty() {
                let error = anyhow!("{}: no log found", path.display());
                return Err(Failure::usage(error));
            }
            files.extend(listing.files);
        }
        if files.len() > 1 && self.logs.format != Some(Format::Transcript) {
            files.sort_by_cached_key(|it| self.first_time(it));
        }
        Ok(files)
    }

    /// Returns the time of the first request of a log.
    fn first_time(&self, path: &Path) -> Option<Duration> {
        if path == Path::new("-") || path.is_dir() {
            return None;
        }
        let input = BufReader::new(Input::open(path).ok()?);
        let options = ReadOptions::default().with_format(self.logs.format);
        read_with(input, options).find_map(Result::ok)?.at
    }

    /// Reads an open log, line by line as they arrive.
    fn log(&mut self, input: impl Read) -> Result<(), Failure> {
        let options = ReadOptions::default().with_format(self.logs.format);
        for exchange in read_with(BufReader::with_capacity(READ_BYTES, input), options) {
            self.take(exchange)?;
        }
        Ok(())
    }

    /// Reads a directory of raw bodies. Each line of its `index.jsonl` names the file of a
    /// request and, if there was one, of its response; both are read from the directory
    /// itself, whatever path the index has. Without an index, each request is read in the
    /// order of the names. A file that cannot be read is a fault of its entry only.
    fn directory(&mut self, directory: &Path) -> Result<(), Failure> {
        let index = directory.join("index.jsonl");
        if !index.is_file() {
            for (name, number) in raw_requests(directory).into_iter().zip(1..) {
                let response = name.replace(RAW_REQUEST, ".response.json");
                let has_response = directory.join(&response).is_file();
                let response = has_response.then_some(response);
                let line = serde_json::json!({"request_file": name, "response_file": response});
                self.raw_body(directory, line.to_string().as_bytes(), number)?;
            }
            return Ok(());
        }
        let mut input = Input::open(&index).map_err(Failure::usage)?;
        let (mut line, mut number) = (Vec::new(), 0);
        while input
            .line(&mut line, MAX_BODY_BYTES)
            .map_err(Failure::usage)?
        {
            number += 1;
            self.raw_body(directory, &line, number)?;
            line.clear();
        }
        Ok(())
    }

    /// Reads one line of an index.
    fn raw_body(&mut self, directory: &Path, line: &[u8], number: usize) -> Result<(), Failure> {
        let entry = raw_body_index(line.trim_ascii(), number);
        let exchange = entry.map(|entry| {
            let file = |name: &str| {
                // A name, and no path: an index leads to no other file.
                let name = Path::new(name).file_name().unwrap_or_default();
                input::bytes(&directory.join(name), MAX_BODY_BYTES)
            };
            let request = file(&entry.request_file)?;
            let response = entry.response_file.as_deref().map(file).transpose()?;
            let response = response.map(|it| String::from_utf8_lossy(&it).into_owned());
            let response = response.as_deref();
            anyhow::Ok(raw_body_exchange(entry, request.into(), response))
        });
        match exchange {
            Ok(Ok(exchange)) => self.take(Ok(exchange)),
            Ok(Err(error)) => {
                self.fault(&format!("line {number}: {error:#}"));
                Ok(())
            }
            Err(error) => self.take(Err(error)),
        }
    }

    /// Turns an exchange into an item and passes it to the callback. Faults are reported
    /// and return `Ok`; the only errors are those of the callback.
    fn take(&mut self, exchange: Result<Exchange, LogError>) -> Result<(), Failure> {
        let exchange = match exchange {
            Ok(exchange) => exchange,
            Err(error) => {
                self.fault(&error.to_string());
                return Ok(());
            }
        };
        let line = exchange.line;
        match self.reader.read(exchange) {
            Ok(None) => Ok(()),
            Ok(Some(item)) => {
                self.counter.add();
                (self.each)(item)
            }
            Err(error) => {
                self.fault(&format!("line {line}: {error}"));
                Ok(())
            }
        }
    }

    /// Reports that an entry could not be read, after removing the counter from the
    /// terminal.
    fn fault(&mut self, fault: &str) {
        self.reader.notes.faults += 1;
        self.counter.clear();
        let message = format!("{}: {fault}", self.path.display());
        output::report(&kinds::LOG_ENTRY.diagnostic(message));
    }

    fn finish(mut self) -> Result<LogNotes, Failure> {
        self.counter.clear();
        if self.reader.notes.faults > 0 && self.reader.requests() == 0 {
            return Err(anyhow!("{}: no request found", self.path.display()).into());
        }
        Ok(self.reader.notes)
    }
}

/// Returns true for a directory of raw bodies.
fn is_raw(directory: &Path) -> bool {
    directory.join("index.jsonl").is_file() || !raw_requests(directory).is_empty()
}

/// Returns the names of the requests in a directory of raw bodies, in their order. Directories
/// in it are logs of their own.
fn raw_requests(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_file()));
    let names = files.map(|it| it.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|it| it.ends_with(RAW_REQUEST)).collect();
    names.sort_unstable();
    names
}

/// Returns true if a file of a directory has the name of a log.
fn is_log(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let name = [".gz", ".zst", ".zstd"]
        .iter()
        .find_map(|it| name.strip_suffix(it))
        .unwrap_or(&name);
    LOG_NAMES.iter().any(|it| {
        let stem = name.strip_suffix(it);
        stem.is_some_and(|it| it.ends_with('.'))
    })
}
