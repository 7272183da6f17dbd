use std::io::{BufRead, Read};
use std::path::Path;

use aside_messages::Diagnostic;
use aside_messages::conversation::{Conversation, EntryId};
use uuid::Uuid;

use crate::error::{Error, ErrorKind};
use crate::record::Record;

/// The longest line, in bytes.
pub(crate) const LONGEST: u64 = 64 * 1024 * 1024;

/// What a transcript holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// Its lines, in order.
    pub records: Vec<Record>,
    /// What stands behind them, where a crash broke off a line.
    pub torn: Option<Torn>,
    /// What was mended in the entries, such as half a surrogate.
    pub diagnostics: Vec<Diagnostic>,
}

/// A last line that broke off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Its number, from 1.
    pub line: usize,
    /// How many bytes of it there are.
    pub bytes: u64,
}

impl Contents {
    /// The conversation of the entries, which is to have this id.
    ///
    /// # Errors
    /// The id that two of the entries have.
    pub fn conversation(&self, id: Uuid) -> Result<Conversation, EntryId> {
        let entries = self.records.iter().filter_map(|record| match record {
            Record::Entry(entry) => Some((**entry).clone()),
            _ => None,
        });
        Conversation::from_entries(id, entries.collect())
    }
}

/// The contents, and where the last whole line ends.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) contents: Contents,
    /// In bytes.
    pub(crate) end: u64,
    /// The last line is whole but for its end.
    pub(crate) lacks_newline: bool,
}

/// Reads all lines.
pub(crate) fn scan(path: &Path, mut text: impl BufRead) -> Result<Scanned, Error> {
    let mut scanned = Scanned {
        contents: Contents::default(),
        end: 0,
        lacks_newline: false,
    };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = (&mut text).take(LONGEST + 1).read_until(b'\n', &mut line);
        let read = read.map_err(|error| Error::io(path, error))? as u64;
        if read == 0 {
            break;
        }
        if read > LONGEST {
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
                return Err(Error::new(ErrorKind::Garbage, path, detail).at_line(number));
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

pub(crate) fn too_long(path: &Path) -> Error {
    Error::new(ErrorKind::TooLong, path, "a line of more than 64 MiB")
}
