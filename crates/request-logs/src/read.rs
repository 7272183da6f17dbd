//! Reading a log as a stream.
//!
//! JSON Lines are read line by line, so a log of any length takes only the memory for the 17 requests,
//! or 32 MiB of bodies, that wait for earlier ones. HAR, YAML and a single JSON value are read whole.
//!
//! ```text
//! first line is JSON, and no list    lines, one entry each; HAR is one document
//! first line is a JSON list          one document: a list of entries
//! first line begins with { or [,     one document, if the whole is JSON;
//!   and is not JSON                    else lines, of which the first is a fault
//! anything else                      lines, if one of the next shows a format;
//!                                      else YAML
//! ```
//!
//! The first line to show a format, among `MAX_UNDECIDED_LINES`, decides for the lines before it
//! too. Entries are put into time order, within a window: a log is written in the order of its
//! responses.

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
use crate::json;
use crate::window::Window;

/// How long a line may be, in bytes.
pub const MAX_LINE_BYTES: u64 = 256 << 20;

/// How much of a longer line to look through for its end, in bytes.
const MAX_SKIPPED_BYTES: u64 = 16 << 30;

/// How long a log that is one document (HAR, YAML, one JSON value) may be, in bytes.
pub const MAX_DOCUMENT_BYTES: u64 = 1 << 30;

/// How many lines to wait for one that shows the format. Without one, they are bodies.
const MAX_UNDECIDED_LINES: usize = 64;

/// How to read a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The format; by default detected from the first lines.
    pub format: Option<Format>,
    /// The time to assume between requests when the log has no times.
    pub every: Option<Duration>,
}

impl ReadOptions {
    /// Sets the format.
    #[must_use]
    pub fn with_format(mut self, format: Option<Format>) -> Self {
        self.format = format;
        self
    }

    /// Sets the time to assume between requests when the log has no times.
    #[must_use]
    pub fn with_every(mut self, every: Duration) -> Self {
        self.every = Some(every);
        self
    }
}

/// Reads a log in this format, or detects the format.
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
        count: 0,
        window: Window::default(),
        last_length: 0,
    }
}

/// Returns the memory for a line after one of this length, in bytes: the lines of a session grow, and
/// in steps the memory of an earlier line fits a later one.
fn roomy(length: usize) -> usize {
    let step = (length / 8).next_power_of_two();
    (length / step + 2) * step
}

/// A log's exchanges, in order. Lines that cannot be read are errors between them.
#[derive(Debug)]
pub struct Exchanges<R> {
    log: R,
    options: ReadOptions,
    state: State,
    /// How many lines have been read.
    line: usize,
    /// How many exchanges so far, for `every` to multiply.
    count: u32,
    /// Entries that wait for earlier ones.
    window: Window,
    /// How long the last line was, in bytes.
    last_length: usize,
}

/// How far reading has come.
#[derive(Debug)]
enum State {
    /// Nothing has been read, and the format is unknown.
    Start,
    Lines(Box<Lines>),
    /// The log has ended, or an error stops the reading.
    End,
}

impl<R: BufRead> Exchanges<R> {
    /// Returns the format of a log in lines, once the first has been read. Otherwise this is the
    /// format in the options: a document's is not detected here.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        self.options.format
    }

    /// Returns how many bytes of bodies are read and not yet returned.
    #[cfg(feature = "files")]
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.window.bytes()
    }

    /// Returns how many lines have been read.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.line
    }

    /// Reads a line that is not blank; returns `None` at the end.
    ///
    /// The flag is false when the line has no newline, like the last line in an interrupted log. A
    /// line over [`MAX_LINE_BYTES`] is reported and passed over.
    fn next_line(&mut self) -> Option<Result<(Bytes, bool), LogError>> {
        let mut line = Vec::with_capacity(roomy(self.last_length));
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
                let detail = format!("more than {} MiB", MAX_LINE_BYTES >> 20);
                self.window.fault(LogError::new(LogErrorKind::TooLong, self.line, detail));
                // A source without an end may have no newline.
                let skipped = self.log.by_ref().take(MAX_SKIPPED_BYTES).skip_until(b'\n');
                if skipped.is_ok_and(|it| (it as u64) < MAX_SKIPPED_BYTES) {
                    continue;
                }
                return None;
            }
            if !line.trim_ascii().is_empty() {
                self.last_length = line.len();
                if line.capacity() / 2 > line.len() {
                    line.shrink_to_fit();
                }
                return Some(Ok((Bytes::from(line), is_whole)));
            }
        }
    }

    /// Reads the first lines to choose how to read the rest.
    fn start(&mut self) {
        self.state = State::End;
        let (mut first, is_whole) = match self.next_line() {
            None => return,
            Some(Err(error)) => return self.window.fault(error),
            Some(Ok(line)) => line,
        };
        if let Some(rest) = first.strip_prefix("\u{feff}".as_bytes()) {
            first = first.slice_ref(rest);
        }
        let value = json::parse(&first);
        let is_yaml = self.options.format == Some(Format::Cassette);
        let is_document = is_yaml || self.options.format == Some(Format::Har);
        if is_document || matches!(value, Ok(Value::Array(_))) {
            return self.document(first, is_yaml);
        }
        let begins_value = matches!(first.trim_ascii_start().first(), Some(b'{' | b'['));
        if value.is_err() && !begins_value && self.options.format.is_none() {
            return self.lines_or_yaml(first);
        }
        match value {
            Ok(value) if self.format_of(&value) == Some(Format::Har) => self.document(first, false),
            Ok(value) => self.lines_from(first, is_whole, self.format_of(&value)),
            // A document's first line ends within a value.
            Err(_) if !is_whole || !begins_value || first.trim_ascii().ends_with(b"}") => {
                self.lines_from(first, is_whole, self.options.format);
            }
            Err(_) => self.document(first, false),
        }
    }

    /// Returns the options' format, or the one that a value shows.
    fn format_of(&self, value: &Value) -> Option<Format> {
        self.options.format.or_else(|| Format::of_value(value))
    }

    /// Reads lines from the first on. Without a format, lines are kept until one shows it.
    fn lines_from(&mut self, first: Bytes, is_whole: bool, mut format: Option<Format>) {
        let mut undecided = vec![(self.line, first, is_whole)];
        let mut end = None;
        while format.is_none() && undecided.len() < MAX_UNDECIDED_LINES {
            match self.next_line() {
                None => break,
                Some(Err(error)) => {
                    end = Some(error);
                    break;
                }
                Some(Ok((line, is_whole))) => {
                    let value = json::parse(&line).ok();
                    format = value.and_then(|it| Format::of_value(&it));
                    undecided.push((self.line, line, is_whole));
                }
            }
        }
        let format = format.unwrap_or(Format::Bodies);
        self.options.format = Some(format);
        let mut lines = Box::new(Lines::new(format));
        for (number, line, is_whole) in undecided {
            self.take(&mut lines, number, &line, is_whole);
        }
        if let Some(error) = end {
            self.finish(&mut lines);
            return self.window.fault(error);
        }
        self.state = State::Lines(lines);
    }

    /// Reads a log whose first line does not begin like JSON: as lines if one of the next is an
    /// object that shows a format, otherwise as YAML, which indents the objects in it.
    fn lines_or_yaml(&mut self, first: Bytes) {
        let first_length = first.len();
        let mut text = Vec::from(first);
        for _ in 1..MAX_UNDECIDED_LINES {
            let start = text.len();
            let room = MAX_DOCUMENT_BYTES.saturating_sub(start as u64);
            let read = self.log.by_ref().take(room).read_until(b'\n', &mut text);
            if let Err(error) = read {
                return self.window.fault(LogError::new(LogErrorKind::Io, self.line, error));
            }
            let line = text.get(start..).filter(|it| it.starts_with(b"{"));
            let value = line.and_then(|it| json::parse(it).ok());
            let format = value.and_then(|it| Format::of_value(&it));
            if format.is_some_and(|it| it != Format::Har) {
                return self.broken_lines(&text.into(), first_length);
            }
        }
        self.document(text.into(), true);
    }

    /// Reads the whole log as one document.
    fn document(&mut self, first: Bytes, is_yaml: bool) {
        // The first line begins the document, and is not copied.
        let mut text = Vec::from(first);
        let room = MAX_DOCUMENT_BYTES.saturating_sub(text.len() as u64);
        let first_length = text.len();
        let read = self.log.by_ref().take(room + 1).read_to_end(&mut text);
        let first_line = self.line;
        if let Err(error) = read {
            return self.window.fault(LogError::new(LogErrorKind::Io, self.line, error));
        }
        if text.len() as u64 > MAX_DOCUMENT_BYTES {
            let detail = format!("more than {} MiB in one document", MAX_DOCUMENT_BYTES >> 20);
            return self.window.fault(LogError::new(LogErrorKind::TooLong, first_line, detail));
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
                        Err(error) => self.window.fault(error),
                    }
                }
            }
            // YAML was only a guess.
            Err((LogErrorKind::NotAnEntry, _)) if is_yaml && self.options.format.is_none() => {
                let detail = "and not a recording in YAML";
                self.window.fault(LogError::new(LogErrorKind::NotJson, first_line, detail));
            }
            Err((kind, detail)) => {
                self.window.fault(LogError::new(kind, first_line, detail));
            }
        }
    }

    /// Reads the text so far as JSON Lines, and reports its first line.
    fn broken_lines(&mut self, text: &Bytes, first_length: usize) {
        let start = self.line;
        let (first, rest) = text.split_at(first_length);
        let all = std::iter::once(first).chain(rest.split_inclusive(|it| *it == b'\n'));
        let all = all.zip(start..).filter(|(it, _)| !it.trim_ascii().is_empty());
        let parsed = |(line, _): (&[u8], usize)| json::parse(line).ok();
        let format = all.clone().filter_map(parsed).find_map(|it| self.format_of(&it));
        let format = format.unwrap_or(Format::Bodies);
        self.options.format = Some(format);
        let mut lines = Box::new(Lines::new(format));
        for (line, number) in all {
            self.line = number;
            let is_whole = line.ends_with(b"\n");
            self.take(&mut lines, number, &text.slice_ref(line), is_whole);
        }
        self.state = State::Lines(lines);
    }

    /// Reads one line of JSON Lines.
    ///
    /// A last line without a newline is torn if its JSON ends early, and otherwise broken.
    fn take(&mut self, lines: &mut Lines, number: usize, line: &Bytes, is_whole: bool) {
        let line = line.slice_ref(line.trim_ascii());
        match lines.read(&line, number) {
            Ok(all) => {
                for exchange in all {
                    self.push(exchange);
                }
            }
            Err((kind, detail)) => {
                let json = || serde_json::from_slice::<IgnoredAny>(&line);
                let is_torn = kind == LogErrorKind::NotJson
                    && !is_whole
                    && json().is_err_and(|it| it.is_eof());
                let kind = if is_torn { LogErrorKind::Torn } else { kind };
                self.window.fault(LogError::new(kind, number, detail));
            }
        }
    }

    /// Adds the exchanges that are complete only when the log has ended.
    fn finish(&mut self, lines: &mut Lines) {
        for exchange in lines.finish() {
            self.push(exchange);
        }
    }

    /// Fills in a missing number and time, and passes the exchange to the window.
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
        let advisors = exchange.take_advisors();
        self.window.push(exchange);
        for advisor in advisors {
            self.window.push(advisor);
        }
    }
}

impl<R: BufRead> Iterator for Exchanges<R> {
    type Item = Result<Exchange, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let is_end = matches!(self.state, State::End);
            if let Some(ready) = self.window.pop(is_end) {
                return Some(ready);
            }
            match std::mem::replace(&mut self.state, State::End) {
                State::Start => self.start(),
                State::End => return None,
                State::Lines(mut lines) => match self.next_line() {
                    None => self.finish(&mut lines),
                    Some(Err(error)) => {
                        self.finish(&mut lines);
                        self.window.fault(error);
                    }
                    Some(Ok((line, is_whole))) => {
                        self.take(&mut lines, self.line, &line, is_whole);
                        self.state = State::Lines(lines);
                    }
                },
            }
        }
    }
}
