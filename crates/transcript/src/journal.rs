//! The writing side: one line per event.
//!
//! | event | line |
//! |---|---|
//! | a note | `context`, `read` |
//! | one entry | `entry` |
//! | several entries | `entries`, or `entry` for each if they do not fit into one line |
//! | a request | `sent` |
//! | its response | `usage` and `context_edits`, then `entry` |

use std::time::Duration;

use aside_messages::conversation::Entry;
use aside_messages::wire::RawJson;
use aside_models::Usage;
use aside_session::{Journal, JournalError, Note, SentRequest};
use serde_json::value::to_raw_value;

use crate::error::TranscriptErrorKind;
use crate::record::{self, Record, Sent};
use crate::session_file::SessionFile;

/// Entries appended together, such as a prompt and the files that it mentions,
/// are one record: a crash keeps all of them or none.
impl Journal for SessionFile {
    fn note(&mut self, note: &Note) -> Result<(), JournalError> {
        let number = self.notes.saturating_add(1);
        let line = match note {
            Note::Context(context) => record::note_line("context", number, context),
            Note::Read(read) => record::note_line("read", number, read),
            Note::Started(started) => record::note_line("started", number, started),
        };
        self.append_lines([line?])?;
        self.notes = number;
        Ok(())
    }

    fn entries(&mut self, entries: &[Entry]) -> Result<(), JournalError> {
        if entries.len() > 1 {
            match self.append_lines([record::line("entries", entries)?]) {
                // Many large images: write them one by one.
                Err(error) if error.kind() == TranscriptErrorKind::TooLong => {}
                written => return Ok(written?),
            }
        }
        for entry in entries {
            self.append_lines([record::entry_line(entry, self.owner)?])?;
        }
        Ok(())
    }

    fn sent(&mut self, sent: &SentRequest<'_>) -> Result<(), JournalError> {
        let milliseconds = |it: Duration| u64::try_from(it.as_millis()).unwrap_or(u64::MAX);
        let record = Record::Sent(Sent {
            turn: sent.turn,
            elapsed_ms: milliseconds(sent.time.elapsed),
            unix_ms: sent.time.since_epoch.map(milliseconds),
            reminders: to_raw_value(sent.reminders)?.into(),
            body: sent.body.into(),
            bytes: Some(sent.bytes),
        });
        Ok(self.append(&[record])?)
    }

    fn usage(&mut self, usage: Usage) -> Result<(), JournalError> {
        Ok(self.append(&[Record::Usage(usage)])?)
    }

    fn context_edits(&mut self, context_management: &RawJson) -> Result<(), JournalError> {
        let record = Record::ContextEdits(context_management.clone());
        Ok(self.append(&[record])?)
    }
}
