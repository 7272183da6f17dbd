//! Opens logs and passes their requests to a callback: commands use only this
//! to read logs.
//!
//! `aside-request-logs` finds and opens files and reads their formats, and
//! `aside_inspect::rows` turns exchanges into requests for the cache model.
//!
//! ```text
//! file, directory, pattern, - ─ LogFiles ─> Exchange ─ RequestReader ─> LogItem ─> callback
//! ```
//!
//! When an entry cannot be read, this is a warning, and the rest of the log is
//! used.

use std::io::{BufReader, Read};
use std::path::PathBuf;

use anyhow::anyhow;
use aside_inspect::rows::{LogItem, LogNotes, RequestOptions, RequestReader};
use aside_request_logs::{
    Exchange, Format, LogError, LogFiles, ReadOptions, list_logs, raw_requests, read_with,
};

use crate::Failure;
use crate::arguments::LogArguments;
use crate::counter::Counter;
use crate::{kinds, output};

/// Which logs to read, and how.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    /// Files, directories, patterns, and `-` for stdin.
    pub(crate) paths: Vec<PathBuf>,
    /// The format; by default, it is detected for each log.
    pub(crate) format: Option<Format>,
    pub(crate) options: RequestOptions,
    /// True if a log without any request is no fault.
    pub(crate) may_be_empty: bool,
}

/// The function to call for each item, in log order. When it fails, reading
/// ends.
pub(crate) type Each<'a> = dyn FnMut(LogItem) -> Result<(), Failure> + 'a;

/// The function to call for each entry that cannot be read, with a message.
pub(crate) type OnFault<'a> = dyn FnMut(String) + 'a;

impl LogArguments {
    pub(crate) fn logs(&self) -> Logs {
        let mut options = RequestOptions::default();
        options.every = self.every;
        options.rules.clone_from(&self.rules);
        options.flips.clone_from(&self.flip);
        Logs { paths: self.log.clone(), format: self.format, options, ..Logs::default() }
    }
}

impl Logs {
    /// Reads all logs to their ends.
    ///
    /// # Errors
    /// When you name a log that cannot be opened, this is a usage error. Fails
    /// with exit code 1 when there is not a single request, and with the
    /// callback's error. When a log has only failed requests, this is no error.
    pub(crate) fn each(&self, each: &mut Each<'_>) -> Result<LogNotes, Failure> {
        self.each_and_faults(each, &mut report)
    }

    /// Reads all logs like [`each`](Self::each), and passes on faults instead of reporting them.
    ///
    /// # Errors
    /// Same as [`each`](Self::each).
    pub(crate) fn each_and_faults(
        &self,
        each: &mut Each<'_>,
        on_fault: &mut OnFault<'_>,
    ) -> Result<LogNotes, Failure> {
        let mut reader = LogReader::new(self, each, on_fault);
        let options = ReadOptions::default().with_format(self.format);
        let mut files = LogFiles::new(&self.paths, options);
        while let Some(next) = files.next() {
            files.path().clone_into(&mut reader.path);
            match next {
                Ok(exchange) => reader.take(Ok(exchange))?,
                Err(fault) if fault.is_usage => return Err(Failure::usage(anyhow!(fault))),
                Err(fault) => reader.fault(&fault.message),
            }
        }
        reader.finish(self.may_be_empty)
    }

    /// Reads a log that is already open. The paths name it in messages.
    ///
    /// # Errors
    /// Same as [`each`](Self::each).
    pub(crate) fn each_of(
        &self,
        input: impl Read,
        each: &mut Each<'_>,
    ) -> Result<LogNotes, Failure> {
        let on_fault = &mut report;
        let mut reader = LogReader::new(self, each, on_fault);
        let options = ReadOptions::default().with_format(self.format);
        for exchange in read_with(BufReader::new(input), options) {
            reader.take(exchange)?;
        }
        reader.finish(self.may_be_empty)
    }
}

/// Reports an entry that cannot be read.
pub(crate) fn report(fault: String) {
    output::report(&kinds::LOG_ENTRY.diagnostic(fault));
}

/// Reports the times that were assumed, for commands that print no notes of their own.
pub(crate) fn report_assumed(notes: &LogNotes) {
    output::report_all(notes.assumed().map(|it| kinds::LOG_TIMES.diagnostic(it)));
}

/// Lists the log files that arguments name, for commands with their own way to
/// read files. In a directory of raw bodies, these are the requests.
///
/// # Errors
/// When an argument matches no log, this is a usage error. A directory that
/// cannot be read is a warning.
pub(crate) fn list(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let listing = list_logs(arguments);
    for fault in listing.faults {
        if fault.is_usage {
            return Err(Failure::usage(anyhow!(fault)));
        }
        output::report(&kinds::LOG_ENTRY.diagnostic(fault.to_string()));
    }
    let files = listing
        .paths
        .into_iter()
        .flat_map(|path| if path.is_dir() { raw_requests(&path) } else { vec![path] });
    Ok(files.collect())
}

struct LogReader<'a, 'b> {
    each: &'a mut Each<'b>,
    on_fault: &'a mut OnFault<'b>,
    reader: RequestReader,
    /// The log being read, to name in messages.
    path: PathBuf,
    counter: Counter,
}

impl<'a, 'b> LogReader<'a, 'b> {
    fn new(logs: &Logs, each: &'a mut Each<'b>, on_fault: &'a mut OnFault<'b>) -> Self {
        Self {
            each,
            on_fault,
            reader: RequestReader::new(logs.options.clone()),
            path: logs.paths.first().cloned().unwrap_or_default(),
            counter: Counter::new("requests"),
        }
    }

    /// Turns an exchange into an item and passes it to the callback. Faults are
    /// reported and return `Ok`; only the callback can fail.
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

    /// Passes on that an entry could not be read, after removing the terminal
    /// counter.
    fn fault(&mut self, fault: &str) {
        self.reader.notes.faults += 1;
        self.counter.clear();
        (self.on_fault)(format!("{}: {fault}", self.path.display()));
    }

    fn finish(mut self, may_be_empty: bool) -> Result<LogNotes, Failure> {
        self.counter.clear();
        let notes = &self.reader.notes;
        let is_empty = notes.failed + notes.counts == 0 && !may_be_empty;
        if self.reader.requests() == 0 && (notes.faults > 0 || is_empty) {
            return Err(anyhow!("{}: no request found", self.path.display()).into());
        }
        Ok(self.reader.notes)
    }
}
