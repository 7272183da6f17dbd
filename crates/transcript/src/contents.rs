use std::io::{BufRead, Read};
use std::path::Path;

use aside_messages::conversation::{Conversation, Entry, EntryId};
use aside_messages::wire::LoneSurrogate;
use uuid::Uuid;

use crate::error::{TranscriptError, TranscriptErrorKind};
use crate::record::Record;

/// The length limit of a line, in bytes.
pub(crate) const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// The lines of a transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// The records, one a line, in order.
    pub records: Vec<Record>,
    /// An incomplete last line, left by a crash.
    pub torn: Option<Torn>,
    /// Repairs in the entries, such as lone surrogates.
    pub diagnostics: Vec<LoneSurrogate>,
}

/// An incomplete last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The line number, 1-based.
    pub line: usize,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Contents {
    /// Returns the entries in order, each with its line, 1-based.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &Entry)> {
        let records = self.records.iter().zip(1..);
        records.flat_map(|(record, line)| record.entries().iter().map(move |entry| (line, entry)))
    }

    /// Returns the conversation of the entries, with this id.
    ///
    /// # Errors
    ///
    /// Two entries have the same id, which is the error.
    pub fn conversation(&self, id: Uuid) -> Result<Conversation, EntryId> {
        let entries = self.entries().map(|(_, entry)| entry.clone());
        Conversation::from_entries(id, entries.collect())
    }
}

/// The contents, and the end of the last complete line.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) contents: Contents,
    /// In bytes.
    pub(crate) end: u64,
    /// The last line is complete except for its newline.
    pub(crate) lacks_newline: bool,
}

/// Reads all lines.
pub(crate) fn scan(path: &Path, mut text: impl BufRead) -> Result<Scanned, TranscriptError> {
    let mut scanned = Scanned {
        contents: Contents::default(),
        end: 0,
        lacks_newline: false,
    };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = (&mut text)
            .take(MAX_LINE_BYTES + 1)
            .read_until(b'\n', &mut line)
            .map_err(|error| TranscriptError::io(path, error))? as u64;
        if read == 0 {
            break;
        }
        if read > MAX_LINE_BYTES {
            return Err(too_long(path).at_line(number));
        }
        let is_whole = line.ends_with(b"\n");
        match Record::parse(&line) {
            Ok(parsed) => {
                scanned.contents.records.push(parsed.value);
                scanned.contents.diagnostics.extend(parsed.diagnostics);
                scanned.end += read;
                scanned.lacks_newline = !is_whole;
            }
            Err(error) if is_whole => {
                let detail = format!("not a record: {error}");
                return Err(
                    TranscriptError::new(TranscriptErrorKind::Garbage, path, detail)
                        .at_line(number),
                );
            }
            Err(_) => {
                scanned.contents.torn = Some(Torn {
                    line: number,
                    bytes: read,
                });
            }
        }
    }
    Ok(scanned)
}

pub(crate) fn too_long(path: &Path) -> TranscriptError {
    TranscriptError::new(
        TranscriptErrorKind::TooLong,
        path,
        "a line of more than 64 MiB",
    )
}
