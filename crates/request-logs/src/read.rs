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
        lines_before: [const { Bytes::new() }; 2],
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
    /// The last two lines, older first. A body is a part of its line and is in use
    /// until the next one was compared with it. Then its memory takes the next but
    /// one, so that a session whose lines grow needs that of two lines.
    lines_before: [Bytes; 2],
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
        let mut line = self.take_buffer();
        loop {
            line.clear();
            let mut limited = self.log.by_ref().take(MAX_LINE_BYTES);
            let read = limited.read_until(b'\n', &mut line);
            if let Err(error) = read {
                return Some(Err(LogError::new(LogErrorKind::Io, self.line + 1, error)));
            }
            if line.is_empty() {
                return None;
            }
            self.line += 1;
            let is_whole = line.ends_with(b"\n");
            if !is_whole && line.len() as u64 == MAX_LINE_BYTES {
                self.state = State::End;
                let detail = format!("more than {} MiB", MAX_LINE_BYTES >> 20);
                return Some(Err(LogError::new(LogErrorKind::TooLong, self.line, detail)));
            }
            if !line.trim_ascii().is_empty() {
                let line = Bytes::from(line);
                let [_, newer] = &mut self.lines_before;
                self.lines_before = [std::mem::take(newer), line.clone()];
                return Some(Ok((line, is_whole)));
            }
        }
    }

    /// Returns the memory of the last line but one, unless it is still in use, or
    /// much longer than the lines are now.
    fn take_buffer(&mut self) -> Vec<u8> {
        let [older, newer] = &mut self.lines_before;
        let older = std::mem::take(older);
        match older.is_unique() && older.len() / 4 <= newer.len() {
            true => older.into(),
            false => Vec::new(),
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
        // The first line is the beginning of the document, which is not copied.
        self.lines_before = Default::default();
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
                let detail = "and not a recording in YAML";
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
