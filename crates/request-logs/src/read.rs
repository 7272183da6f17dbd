//! Reading a log as a stream.
//!
//! JSON Lines are read line by line, so a log of any length takes the memory of
//! its longest line. HAR, YAML and a single JSON value are read whole.
//!
//! ```text
//! first line is JSON, and no list    lines, one entry each; HAR is one document
//! first line is a JSON list          one document: a list of entries
//! first line begins with { or [,     one document, if the whole is JSON;
//!   and is not JSON                    else lines, of which the first is a fault
//! anything else                      YAML
//! ```

use std::collections::VecDeque;
use std::io::{BufRead, Read};
use std::time::Duration;

use bytes::Bytes;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::error::{LogError, LogErrorKind};
use crate::exchange::Exchange;
use crate::format;
use crate::format::Lines;
use crate::guess::Format;

/// The longest line that is read, in bytes.
pub const MAX_LINE_BYTES: u64 = 256 << 20;

/// The longest log that is one document (HAR, YAML, one JSON value), in bytes.
pub const MAX_DOCUMENT_BYTES: u64 = 1 << 30;

/// The options of reading a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The format; by default detected from the first line.
    pub format: Option<Format>,
    /// The time between requests, for a log without times.
    pub every: Option<Duration>,
}

impl ReadOptions {
    /// Sets the format.
    #[must_use]
    pub fn with_format(mut self, format: Option<Format>) -> Self {
        self.format = format;
        self
    }

    /// Sets the time between requests, for a log without times.
    #[must_use]
    pub fn with_every(mut self, every: Duration) -> Self {
        self.every = Some(every);
        self
    }
}

/// Reads a log of a given format, or detects the format.
///
/// ```
/// use aside_request_logs::read;
///
/// let log = br#"{"t":0,"body":{"model":"m","messages":[]},"usage":{"input_tokens":7}}
/// {"t":20,"body":{"model":"m","mess"#;
/// let all: Vec<_> = read(&log[..], None).collect();
/// let first = all[0].as_ref().expect("a whole line");
/// assert_eq!(first.request.as_bytes(), Some(&br#"{"model":"m","messages":[]}"#[..]));
/// assert_eq!(first.usage.map(|it| it.uncached), Some(7));
/// assert_eq!(all[1].as_ref().unwrap_err().line(), 2);
/// ```
pub fn read<R: BufRead>(log: R, format: Option<Format>) -> Exchanges<R> {
    read_with(log, ReadOptions::default().with_format(format))
}

/// Reads a log with options.
///
/// ```
/// use std::time::Duration;
///
/// use aside_request_logs::{Format, ReadOptions, read_with};
///
/// let log = br#"{"model":"m","messages":[{"role":"user","content":"a"}]}
/// {"model":"m","messages":[{"role":"user","content":"b"}]}
/// "#;
/// let options = ReadOptions::default()
///     .with_format(Some(Format::Bodies))
///     .with_every(Duration::from_secs(60));
/// let times: Vec<_> = read_with(&log[..], options)
///     .map(|exchange| Ok(exchange?.at))
///     .collect::<Result<_, aside_request_logs::LogError>>()?;
/// assert_eq!(times, [Some(Duration::ZERO), Some(Duration::from_secs(60))]);
/// # Ok::<(), aside_request_logs::LogError>(())
/// ```
pub fn read_with<R: BufRead>(log: R, options: ReadOptions) -> Exchanges<R> {
    Exchanges {
        log,
        options,
        state: State::Start,
        line: 0,
        ready: VecDeque::new(),
        count: 0,
        latest: Duration::ZERO,
        capacity: 0,
    }
}

/// The exchanges of a log, in order. Lines that cannot be read are errors
/// between them.
#[derive(Debug)]
pub struct Exchanges<R> {
    log: R,
    options: ReadOptions,
    state: State,
    /// The number of lines read.
    line: usize,
    /// Exchanges and errors that are read and not yet returned.
    ready: VecDeque<Result<Exchange, LogError>>,
    /// The number of exchanges so far, which `every` multiplies.
    count: u32,
    /// The latest time so far, against which the order is checked.
    latest: Duration,
    /// The capacity for the next line, a little more than the last one took:
    /// the lines of a session grow, and a vector that grows doubles.
    capacity: usize,
}

/// The progress of reading.
#[derive(Debug)]
enum State {
    /// Nothing is read, and the kind of the log is not known.
    Start,
    /// Lines follow.
    Lines(Box<Lines>),
    /// The end of the log, or an error after which reading cannot continue.
    End,
}

impl<R: BufRead> Exchanges<R> {
    /// Returns the format of a log in lines, once the first has been read.
    /// Otherwise this is the format of the options: that of a document is not
    /// detected here.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        match &self.state {
            State::Lines(lines) => Some(lines.format()),
            _ => self.options.format,
        }
    }

    /// Returns the number of lines read.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.line
    }

    /// Reads a line that is not blank; returns `None` at the end.
    ///
    /// The flag is false if the line has no newline, as the last line of a log
    /// that was interrupted. A line over [`MAX_LINE_BYTES`] is an error that
    /// ends the log.
    fn next_line(&mut self) -> Option<Result<(Bytes, bool), LogError>> {
        loop {
            let mut line = Vec::with_capacity(self.capacity);
            let mut limited = self.log.by_ref().take(MAX_LINE_BYTES);
            let read = limited.read_until(b'\n', &mut line);
            if let Err(error) = read {
                return Some(Err(LogError::new(LogErrorKind::Io, self.line + 1, error)));
            }
            if line.is_empty() {
                return None;
            }
            self.line += 1;
            self.capacity = size_class(line.len() + line.len() / 16);
            let is_whole = line.ends_with(b"\n");
            if !is_whole && line.len() as u64 == MAX_LINE_BYTES {
                self.state = State::End;
                let detail = format!("more than {} MiB", MAX_LINE_BYTES >> 20);
                return Some(Err(LogError::new(LogErrorKind::TooLong, self.line, detail)));
            }
            if !line.trim_ascii().is_empty() {
                return Some(Ok((line.into(), is_whole)));
            }
        }
    }

    /// Reads the first line, and chooses how to read the rest.
    fn start(&mut self) {
        self.state = State::End;
        let (mut first, _) = match self.next_line() {
            None => return,
            Some(Err(error)) => return self.ready.push_back(Err(error)),
            Some(Ok(line)) => line,
        };
        if let Some(rest) = first.strip_prefix("\u{feff}".as_bytes()) {
            first = first.slice_ref(rest);
        }
        let value = serde_json::from_slice::<Value>(&first);
        let is_yaml = self.options.format == Some(Format::Cassette)
            || (value.is_err() && !matches!(first.trim_ascii_start().first(), Some(b'{' | b'[')));
        let is_document = is_yaml || self.options.format == Some(Format::Har);
        if let (false, Ok(value)) = (is_document, &value) {
            let format = self
                .options
                .format
                .unwrap_or_else(|| Format::of_value(value));
            if format != Format::Har && !value.is_array() {
                let mut lines = Box::new(Lines::new(format));
                self.take(&mut lines, &first, true);
                self.state = State::Lines(lines);
                return;
            }
        }
        self.document(first, is_yaml);
    }

    /// Reads the whole log as one document.
    fn document(&mut self, first: Bytes, is_yaml: bool) {
        let mut text = Vec::from(first);
        let room = MAX_DOCUMENT_BYTES.saturating_sub(text.len() as u64);
        let first_length = text.len();
        let read = self.log.by_ref().take(room + 1).read_to_end(&mut text);
        let first_line = self.line;
        if let Err(error) = read {
            let error = LogError::new(LogErrorKind::Io, self.line, error);
            return self.ready.push_back(Err(error));
        }
        if text.len() as u64 > MAX_DOCUMENT_BYTES {
            let detail = format!("more than {} MiB in one document", MAX_DOCUMENT_BYTES >> 20);
            let error = LogError::new(LogErrorKind::TooLong, first_line, detail);
            return self.ready.push_back(Err(error));
        }
        let is_value = serde_json::from_slice::<IgnoredAny>(&text).is_ok();
        if !is_yaml && !is_value && self.options.format != Some(Format::Har) {
            // JSON Lines whose first line is broken.
            return self.broken_lines(&text.into(), first_length);
        }
        let text = Bytes::from(text);
        match format::document(&text, self.options.format, is_yaml) {
            Ok(all) => {
                for exchange in all {
                    match exchange {
                        Ok(exchange) => self.push(exchange),
                        Err(error) => self.ready.push_back(Err(error)),
                    }
                }
            }
            // That it is YAML was a guess.
            Err((LogErrorKind::NotAnEntry, _)) if is_yaml && self.options.format.is_none() => {
                let detail = "it is no recording in YAML either";
                let error = LogError::new(LogErrorKind::NotJson, first_line, detail);
                self.ready.push_back(Err(error));
            }
            Err((kind, detail)) => {
                self.ready
                    .push_back(Err(LogError::new(kind, first_line, detail)));
            }
        }
    }

    /// Reads a document that is not JSON as JSON Lines, whose first line is a
    /// fault.
    fn broken_lines(&mut self, text: &Bytes, first_length: usize) {
        let start = self.line;
        let (first, rest) = text.split_at(first_length);
        let all = std::iter::once(first).chain(rest.split_inclusive(|it| *it == b'\n'));
        let mut lines: Option<Box<Lines>> = self.options.format.map(|it| Box::new(Lines::new(it)));
        for (index, line) in all.enumerate() {
            self.line = start + index;
            if line.trim_ascii().is_empty() {
                continue;
            }
            if lines.is_none()
                && let Ok(value) = serde_json::from_slice::<Value>(line)
            {
                lines = Some(Box::new(Lines::new(Format::of_value(&value))));
            }
            match &mut lines {
                Some(lines) => self.take(lines, &text.slice_ref(line), line.ends_with(b"\n")),
                None => {
                    let error = serde_json::from_slice::<IgnoredAny>(line);
                    let detail = error.err().map_or_else(String::new, |it| it.to_string());
                    let error = LogError::new(LogErrorKind::NotJson, self.line, detail);
                    self.ready.push_back(Err(error));
                }
            }
        }
        if let Some(mut lines) = lines {
            self.finish(&mut lines);
        }
    }

    /// Reads one line of JSON Lines.
    ///
    /// A last line without a newline that is not JSON is torn, not broken.
    fn take(&mut self, lines: &mut Lines, line: &Bytes, is_whole: bool) {
        let line = line.slice_ref(line.trim_ascii());
        match lines.read(&line, self.line) {
            Ok(all) => {
                for exchange in all {
                    self.push(exchange);
                }
            }
            Err((LogErrorKind::NotJson, detail)) if !is_whole => {
                let error = LogError::new(LogErrorKind::Torn, self.line, detail);
                self.ready.push_back(Err(error));
            }
            Err((kind, detail)) => {
                self.ready
                    .push_back(Err(LogError::new(kind, self.line, detail)));
            }
        }
    }

    /// Adds the exchanges that are complete only at the end of the log.
    fn finish(&mut self, lines: &mut Lines) {
        for exchange in lines.finish() {
            self.push(exchange);
        }
    }

    /// Sets a missing number and a missing time, and checks the order. An
    /// exchange that is older than the latest one before it comes after an
    /// error.
    fn push(&mut self, mut exchange: Exchange) {
        if exchange.line == 0 {
            exchange.line = self.count as usize + 1;
        }
        if exchange.at.is_none()
            && let Some(every) = self.options.every
        {
            exchange.at = Some(every * self.count);
        }
        self.count += 1;
        if let Some(at) = exchange.at {
            if at < self.latest {
                let behind = (self.latest - at).as_secs_f64();
                let detail = format!("{behind:.1} s before the entry above it");
                let error = LogError::new(LogErrorKind::OutOfOrder, exchange.line, detail);
                self.ready.push_back(Err(error));
            }
            self.latest = self.latest.max(at);
        }
        self.ready.push_back(Ok(exchange));
    }
}

/// Rounds a length up to one of few, so that the memory of a line that is no
/// longer needed fits a later, longer one.
fn size_class(length: usize) -> usize {
    let step = (length.next_power_of_two() / 16).max(1);
    length.div_ceil(step) * step
}

impl<R: BufRead> Iterator for Exchanges<R> {
    type Item = Result<Exchange, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            match std::mem::replace(&mut self.state, State::End) {
                State::Start => self.start(),
                State::End => return None,
                State::Lines(mut lines) => match self.next_line() {
                    None => self.finish(&mut lines),
                    Some(Err(error)) => {
                        self.finish(&mut lines);
                        self.ready.push_back(Err(error));
                    }
                    Some(Ok((line, is_whole))) => {
                        self.take(&mut lines, &line, is_whole);
                        self.state = State::Lines(lines);
                    }
                },
            }
            if self.ready.is_empty() && matches!(self.state, State::End) {
                return None;
            }
        }
    }
}
