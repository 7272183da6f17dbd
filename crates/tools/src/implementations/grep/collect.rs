//! Matches as text for the model.
//!
//! One file's text ([`FileHits`]) is complete before it is added to the result
//! ([`Hits`]): a file that turns out to be binary leaves nothing behind.

use std::fmt::Write;
use std::io;

use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::request::{Output, Request};
use crate::implementations::effort::Effort;
use crate::implementations::walk::Missed;

const MAX_SHOWN_BYTES: usize = 64 * 1024;
const MAX_LINE_CHARS: usize = 500;

#[derive(Debug)]
pub(super) struct Hits<'a> {
    request: &'a Request,
    /// Each file in it is complete.
    text: String,
    /// How many lines or paths the text has, without context lines.
    shown: usize,
    /// True if some matches are missing.
    is_cut: bool,
    /// How many files could not be searched.
    pub(super) unread: usize,
}

#[derive(Debug)]
pub(super) struct FileHits {
    /// Checked at each match: a match may take as long as reading the file.
    effort: Effort,
    output: Output,
    /// How many matching lines still fit.
    room: usize,
    /// How many lines match, or groups if matches span lines.
    count: usize,
    text: String,
    is_cut: bool,
    is_binary: bool,
}

impl<'a> Hits<'a> {
    pub(super) fn new(request: &'a Request) -> Self {
        Self { request, text: String::new(), shown: 0, is_cut: false, unread: 0 }
    }

    /// Returns true if no more matches fit.
    pub(super) fn is_full(&self) -> bool {
        self.is_cut
    }

    /// Creates the collector for the next file, with the number of lines that
    /// still fit.
    pub(super) fn of_next_file(&self, effort: &Effort) -> FileHits {
        FileHits {
            effort: effort.clone(),
            output: self.request.output,
            room: self.request.limit - self.shown,
            count: 0,
            text: String::new(),
            is_cut: false,
            is_binary: false,
        }
    }

    /// Adds a file's matches. A file without matches and a binary file leave
    /// nothing.
    ///
    /// With `Output::Lines`, a file is its path and its lines; a blank line
    /// separates files:
    ///
    /// ```text
    /// src/a.rs
    /// 12:fn main() {
    /// 13-    run();
    /// ```
    pub(super) fn add(&mut self, path: &str, file: &FileHits) {
        if file.count == 0 || file.is_binary {
            return;
        }
        let (text, shown) = match self.request.output {
            Output::Files => (format!("{path}\n"), 1),
            Output::Count => (format!("{path}: {}\n", file.count), 1),
            Output::Lines => {
                let blank = if self.text.is_empty() { "" } else { "\n" };
                (format!("{blank}{path}\n{}", file.text), file.count)
            }
        };
        let fits =
            self.shown < self.request.limit && self.text.len() + text.len() <= 2 * MAX_SHOWN_BYTES;
        self.is_cut |= file.is_cut || !fits;
        if fits {
            self.text.push_str(&text);
            self.shown += shown;
        }
        self.is_cut |= self.text.len() > MAX_SHOWN_BYTES;
    }

    /// Returns the result with its notes: cut matches, unread files, parts of
    /// the tree that were not visited.
    ///
    /// A result without a match is a note as well, not an error.
    pub(super) fn report(mut self, missed: Missed) -> String {
        if self.shown == 0 {
            self.text.push_str("(No line matches.)\n");
        }
        if self.is_cut {
            self.text.push_str(
                "(There is more: ask for something narrower, or set a higher `limit`.)\n",
            );
        }
        if self.unread > 0 {
            let files = self.unread;
            writeln!(self.text, "(Files that could not be searched: {files}.)")
                .expect("writing to a string succeeds");
        }
        self.text.extend(missed.note());
        self.text.truncate(self.text.trim_end().len());
        self.text
    }
}

impl FileHits {
    /// Adds lines with their numbers; `mark` tells matches from context lines.
    fn push(&mut self, number: Option<u64>, mark: char, lines: &[u8]) {
        let text = String::from_utf8_lossy(lines);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        for (number, line) in (number.unwrap_or_default()..).zip(text.split('\n')) {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let end = line.char_indices().nth(MAX_LINE_CHARS).map(|(end, _)| end);
            let (line, more) = match end {
                Some(end) => (&line[..end], " […]"),
                None => (line, ""),
            };
            writeln!(self.text, "{number}{mark}{line}{more}")
                .expect("writing to a string succeeds");
            if self.text.len() > MAX_SHOWN_BYTES {
                self.is_cut = true;
                return;
            }
        }
    }
}

impl Sink for FileHits {
    type Error = io::Error;

    /// Returns false to stop searching the file: for a list of files the first
    /// match is enough.
    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.output == Output::Lines {
            if self.count == self.room {
                self.is_cut = true;
                return Ok(false);
            }
            self.push(found.line_number(), ':', found.bytes());
        }
        self.count += 1;
        Ok(self.output != Output::Files && !self.is_cut && !self.effort.is_over())
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> io::Result<bool> {
        self.push(around.line_number(), '-', around.bytes());
        Ok(!self.is_cut)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.text.push_str("--\n");
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> io::Result<()> {
        self.is_binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}
