//! Scanning a transcript into its lines.

use std::borrow::Cow;
use std::io::{BufRead, Read};
use std::path::Path;

use aside_messages::conversation::{Conversation, Entry, EntryId};
use aside_messages::wire::{RawJson, ReadRepair};
use aside_session::caller::{CallerError, CallerState};
use serde::de::IgnoredAny;
use uuid::Uuid;

use crate::error::{TranscriptError, TranscriptErrorKind};
use crate::record::Record;

pub(crate) const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// A transcript, line by line.
///
/// An empty file has no records, no torn line and no diagnostics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// The records, one a line, in order.
    pub records: Vec<Record>,
    /// An incomplete last line, left by a crash.
    pub torn: Option<Torn>,
    /// Repairs to entries, such as lone surrogates.
    pub diagnostics: Vec<ReadRepair>,
    /// The numbers of the lines that are notes, and 0 for all others. Empty for
    /// a caller's file.
    pub(crate) numbers: Vec<u64>,
}

/// An incomplete last line, or all lines of an incomplete write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The line number, 1-based.
    pub line: usize,
    /// How many bytes [`SessionFile::open`](crate::SessionFile::open) removes.
    pub bytes: u64,
}

impl Contents {
    /// Returns the entries in order, each with its 1-based line.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &Entry)> {
        let records = self.records.iter().zip(1..);
        records.flat_map(|(record, line)| record.entries().iter().map(move |entry| (line, entry)))
    }

    /// Returns the latest state that a caller's lines hold; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The state cannot be read.
    pub fn caller_state(&self) -> Result<Option<CallerState>, CallerError> {
        let lines = self.records.iter().filter_map(|record| match record {
            Record::Caller(line) => Some(line.get()),
            _ => None,
        });
        CallerState::parse_lines(lines)
    }

    /// Builds a conversation with this id from the entries, which it copies.
    /// Linear.
    ///
    /// # Errors
    ///
    /// Returns the id when two entries share it.
    pub fn conversation(&self, id: Uuid) -> Result<Conversation, EntryId> {
        let entries = self.entries().map(|(_, entry)| entry.clone());
        Conversation::from_entries(id, entries.collect())
    }
}

/// Returns true if the first line is that of a session's transcript: its context.
pub fn is_of_session(mut text: impl BufRead) -> bool {
    // Of another file, this line may be a whole request: it is not read.
    if !text.fill_buf().is_ok_and(|start| start.starts_with(br#"{"type""#)) {
        return false;
    }
    let mut line = Vec::new();
    text.read_until(b'\n', &mut line).is_ok()
        && Record::parse(&line).is_ok_and(|it| matches!(it.0.value, Record::Context(_)))
}

/// Reads a file that a caller keeps. Linear.
///
/// # Errors
///
/// A line is neither an entry nor a state, or two entries share an id.
pub fn read_lines_of_caller(path: &Path, text: &str) -> Result<Contents, TranscriptError> {
    let states: Vec<&str> = text.lines().filter(|it| CallerState::is_line(it)).collect();
    // The lines of states stay as empty ones, to keep line numbers right.
    let entries = if states.is_empty() {
        Cow::Borrowed(text)
    } else {
        let mut entries = String::with_capacity(text.len() + 1);
        for line in text.lines() {
            entries.push_str(if CallerState::is_line(line) { "" } else { line });
            entries.push('\n');
        }
        Cow::Owned(entries)
    };
    let parsed = Conversation::from_json_lines(Uuid::nil(), &entries).map_err(|error| {
        let first = text.lines().next().unwrap_or_default();
        let (kind, detail) = if is_of_session(first.as_bytes()) {
            (TranscriptErrorKind::OfSession, "the transcript of a session".to_owned())
        } else {
            (TranscriptErrorKind::Garbage, error.to_string())
        };
        TranscriptError::new(kind, path, detail)
    })?;
    let state = |line: &&str| RawJson::parse(line).map(Record::Caller);
    let states: Result<Vec<Record>, _> = states.iter().map(state).collect();
    let mut records = states.map_err(|error| {
        TranscriptError::new(TranscriptErrorKind::Garbage, path, error.to_string())
    })?;
    let entries = parsed.value.into_entries().into_iter();
    records.extend(entries.map(|entry| Record::Entry(Box::new(entry))));
    Ok(Contents { records, diagnostics: parsed.diagnostics, ..Contents::default() })
}

/// Like [`read_lines_of_caller`], but drops an incomplete last write: a line that [ends
/// early](ends_early), with the lines written with it. A byte order mark is passed over.
pub(crate) fn scan_of_caller(path: &Path, text: &str) -> Result<Scanned, TranscriptError> {
    let lines = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = lines.rfind('\n').map_or(0, |at| at + 1);
    let (before, last) = lines.split_at(start);
    let mut complete = if ends_early(before, last) { before } else { lines };
    if let Some(write) = CallerState::cut_write(complete) {
        // A line from elsewhere must not be removed with it.
        read_lines_of_caller(path, complete)?;
        complete = &complete[..write];
    }
    let mut contents = read_lines_of_caller(path, complete)?;
    let bytes = (lines.len() - complete.len()) as u64;
    contents.torn = (bytes > 0).then(|| Torn { line: complete.lines().count() + 1, bytes });
    Ok(Scanned {
        contents,
        end: text.len() as u64 - bytes,
        lacks_newline: !complete.is_empty() && !complete.ends_with('\n'),
    })
}

/// How the line of an entry with an id begins; each `0` stands for a hexadecimal digit.
const ENTRY_START: &[u8] = br#"{"id":"00000000-0000-0000-0000-000000000000","kind":""#;

/// Returns true if a last line is the beginning of a line that calls write, as an interrupted
/// write leaves it: of a state or, unless it is the file's only line, of an entry with an id. The
/// caller's own line is kept. A beginning that both have, such as `{`, counts as the call's.
fn ends_early(before: &str, last: &str) -> bool {
    let is_same =
        |(byte, start): (u8, &u8)| byte == *start || *start == b'0' && byte.is_ascii_hexdigit();
    let may_be_entry = || last.bytes().zip(ENTRY_START).all(is_same);
    let is_ours = CallerState::may_begin_line(last) || !before.trim().is_empty() && may_be_entry();
    // A number that ends early is another error than a text that does.
    let last = last.trim_end_matches(['-', '+', '.', 'e', 'E']);
    is_ours && serde_json::from_str::<IgnoredAny>(last).is_err_and(|it| it.is_eof())
}

/// What was read, and where the last complete line ends.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) contents: Contents,
    /// The byte offset after the last complete line.
    pub(crate) end: u64,
    /// True if the last line lacks only its newline.
    pub(crate) lacks_newline: bool,
}

/// Reads all lines. Beyond the records, it needs memory for one line.
///
/// # Errors
///
/// A line that ends with a newline is no record, a line is longer than 64 MiB, or the file cannot
/// be read.
pub(crate) fn scan(path: &Path, mut text: impl BufRead) -> Result<Scanned, TranscriptError> {
    let mut scanned = Scanned { contents: Contents::default(), end: 0, lacks_newline: false };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = (&mut text)
            .take(MAX_LINE_BYTES + 1)
            .read_until(b'\n', &mut line)
            .map_err(|error| TranscriptError::io(path, &error))? as u64;
        if read == 0 {
            break;
        }
        if read > MAX_LINE_BYTES {
            return Err(too_long(path).at_line(number));
        }
        let is_whole = line.ends_with(b"\n");
        match Record::parse(&line) {
            Ok((parsed, number)) => {
                scanned.contents.records.push(parsed.value);
                scanned.contents.numbers.push(number);
                scanned.contents.diagnostics.extend(parsed.diagnostics);
                scanned.end += read;
                scanned.lacks_newline = !is_whole;
            }
            Err(error) if is_whole => {
                let detail = format!("not a record: {error}");
                return Err(TranscriptError::new(TranscriptErrorKind::Garbage, path, detail)
                    .at_line(number));
            }
            Err(_) => {
                scanned.contents.torn = Some(Torn { line: number, bytes: read });
            }
        }
    }
    Ok(scanned)
}

/// Creates the error for an overlong line, without its number.
pub(crate) fn too_long(path: &Path) -> TranscriptError {
    TranscriptError::new(TranscriptErrorKind::TooLong, path, "a line of more than 64 MiB")
}
