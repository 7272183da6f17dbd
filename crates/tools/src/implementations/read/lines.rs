//! A range of lines in a text, read in pieces.
//!
//! A result has at most 256 KB and ends with a whole line, unless the first
//! line alone is longer. The file is scanned to its end, or to 256 MiB, to
//! count its lines.

use std::borrow::Cow;
use std::io::{self, BufRead};

use aside_messages::wire::ContentBlock;
use memchr::{memchr, memchr_iter};

use super::Shown;
use crate::implementations::effort::Effort;
use crate::refusal::Refusal;

/// How many lines to show if the call does not say.
const DEFAULT_LINES: usize = 2_000;
const MAX_SHOWN_BYTES: usize = 256 * 1024;
/// For how much of a result to make room before it is read.
const MAX_RESERVED_BYTES: usize = 64 * 1024;
/// How much of a file to scan for lines.
const MAX_SCANNED_BYTES: u64 = 256 * 1024 * 1024;

#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    /// 1-based.
    pub(super) first: usize,
    /// At least 1.
    pub(super) limit: usize,
}

/// Lines selected from a file.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// The first line's number.
    first: usize,
    /// With their line ends, at most 256 KiB.
    bytes: Vec<u8>,
    lines: usize,
    /// True if the first line alone is too long and was cut.
    is_cut: bool,
    /// How many lines the file has, or its scanned part.
    total: usize,
    /// True if the scan reached the end of the file.
    is_counted: bool,
}

impl Range {
    /// Fills in what a call leaves out: the first line, and 2,000 lines. An
    /// offset or a limit of 0 counts as 1.
    pub(super) fn new(offset: Option<usize>, limit: Option<usize>) -> Self {
        Self { first: offset.unwrap_or(1).max(1), limit: limit.unwrap_or(DEFAULT_LINES).max(1) }
    }
}

impl Selection {
    /// Reads the lines in the range, up to the maximum size, and counts the
    /// others.
    ///
    /// Reads the text in pieces, as its buffer has them. A scan that ends
    /// early, at 256 MiB or when the effort is over, drops an unfinished line.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn of(text: &mut impl BufRead, range: Range, effort: &Effort) -> io::Result<Self> {
        let mut selection = Self {
            first: range.first,
            bytes: Vec::with_capacity(text.fill_buf()?.len().min(MAX_RESERVED_BYTES)),
            ..Self::default()
        };
        // Where the current, unfinished line starts.
        let mut open = None;
        let mut is_full = false;
        let mut read = 0;
        while read <= MAX_SCANNED_BYTES && !effort.is_over() {
            let buffer = text.fill_buf()?;
            if buffer.is_empty() {
                selection.is_counted = true;
                break;
            }
            let end = memchr(b'\n', buffer);
            let piece = &buffer[..end.map_or(buffer.len(), |end| end + 1)];
            let index = selection.total;
            let start = *open.get_or_insert(selection.bytes.len());
            let wanted = index + 1 >= range.first && index + 1 - range.first < range.limit;
            if wanted && !is_full {
                is_full = selection.take(piece, start);
            }
            let length = piece.len();
            if end.is_some() {
                open = None;
                selection.total += 1;
                selection.lines += usize::from(wanted && !is_full);
            }
            read += length as u64;
            text.consume(length);
        }
        if let Some(start) = open.filter(|_| !selection.is_counted && !is_full) {
            // The scan stopped within a line.
            selection.bytes.truncate(start);
        } else if open.is_some() && selection.is_counted {
            // The last line has no line end.
            let number = selection.total + 1;
            let wanted = number >= range.first && number - range.first < range.limit;
            selection.total += 1;
            selection.lines += usize::from(wanted && !is_full);
        }
        if selection.is_cut {
            selection.lines = 1;
        }
        Ok(selection)
    }

    /// Adds a piece of the line that starts at `start`. Returns true if it did
    /// not fit.
    fn take(&mut self, piece: &[u8], start: usize) -> bool {
        if self.bytes.len() + piece.len() <= MAX_SHOWN_BYTES {
            self.bytes.extend_from_slice(piece);
            return false;
        }
        if start == 0 {
            let room = MAX_SHOWN_BYTES - self.bytes.len();
            self.bytes.extend_from_slice(&piece[..room]);
            self.is_cut = true;
        } else {
            self.bytes.truncate(start);
        }
        true
    }

    /// Returns the lines in the form for the model.
    ///
    /// Replaces bytes that are not UTF-8, with a note. The extent is `Whole`
    /// only if the result has every line in the file.
    pub(super) fn show(&self, given: &str) -> Result<Shown, Refusal> {
        if self.lines == 0 {
            return self.nothing(given);
        }
        let valid = str::from_utf8(&self.bytes).map(Cow::Borrowed);
        let text = valid.unwrap_or_else(|_| String::from_utf8_lossy(&self.bytes));
        let mut notes = self.notes();
        if matches!(text, Cow::Owned(_)) && !self.is_cut {
            notes.push("It is not UTF-8: what could not be read is shown as \u{fffd}.".to_owned());
        }
        let is_whole =
            self.first == 1 && self.lines == self.total && self.is_counted && !self.is_cut;
        let mut content = vec![ContentBlock::text(self.numbered(&text))];
        if !notes.is_empty() {
            content.push(ContentBlock::text(notes.join(" ")));
        }
        Ok(Shown::new(content, is_whole))
    }

    /// For a range without lines: a note for an empty file, else an error
    /// result that says how many lines there are.
    fn nothing(&self, given: &str) -> Result<Shown, Refusal> {
        if self.total == 0 && self.is_counted {
            return Ok(Shown::new(vec![ContentBlock::text("(The file is empty.)")], true));
        }
        let (first, total) = (self.first, self.total);
        Err(Refusal::new(
            given,
            if self.is_counted {
                format!("there is no line {first}: it has {total}")
            } else {
                format!("line {first} is too far into the file: looked at {total} lines")
            },
        ))
    }

    /// Returns notes about omitted lines and how to read them.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let (first, total) = (self.first, self.total);
        let last = first + self.lines - 1;
        let more = if self.is_counted { "" } else { "more than " };
        if first > 1 || last < total || !self.is_counted {
            notes.push(format!("Of the file's {more}{total} lines, {first} to {last} are shown."));
        }
        if self.is_cut {
            notes.push(format!(
                "Line {first} is longer than {} KB, and its end is left out: use Grep to find \
                 something in it.",
                MAX_SHOWN_BYTES / 1024
            ));
        }
        if last < total {
            notes.push(format!("To read on, use `offset` {}.", last + 1));
        }
        notes
    }

    /// Numbers the lines, right-aligned to six columns and followed by a tab.
    fn numbered(&self, text: &str) -> String {
        let mut numbered = Vec::with_capacity(text.len() + self.lines * 8);
        let text = text.strip_suffix('\n').unwrap_or(text).as_bytes();
        let mut start = 0;
        for (number, end) in (self.first..).zip(memchr_iter(b'\n', text).chain([text.len()])) {
            if start > 0 {
                numbered.push(b'\n');
            }
            push_number(&mut numbered, number);
            numbered.extend_from_slice(&text[start..end]);
            start = end + 1;
        }
        String::from_utf8(numbered).expect("it was cut at line ends only")
    }
}

/// Each line has one, and the library takes ten times as long to format it.
fn push_number(out: &mut Vec<u8>, number: usize) {
    if number >= 1_000_000 {
        out.extend_from_slice(format!("{number}\t").as_bytes());
        return;
    }
    let mut columns = *b"      \t";
    let mut rest = number;
    for column in columns[..6].iter_mut().rev() {
        *column = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&columns);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_library_does() {
        for number in [1, 9, 10, 4_711, 99_999, 999_999, 1_000_000, 12_345_678] {
            let mut out = Vec::new();
            push_number(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), format!("{number:>6}\t"));
        }
    }
}
