//! The writing side: each event of a session as one line.
//!
//! | event | line |
//! |---|---|
//! | a note | `context`, `read` |
//! | one entry | `entry` |
//! | several entries | `entries`, or `entry` for each if they do not fit into one line |
//! | a request | `sent` |
//! | its response | `usage` and `context_edits`, then `entry` |

use aside_agent::{Journal, JournalError, SentRequest, Usage};
use aside_messages::conversation::Entry;
use aside_messages::wire::RawJson;
use aside_session::Note;
use serde::Serialize;

use crate::error::TranscriptErrorKind;
use crate::record::{Record, Sent};
use crate::transcript::Transcript;

/// A [`Journal`] that writes a session into its transcript as it happens.
///
/// Entries that are appended together, such as a prompt and the files that it
/// mentions, are one record: a crash keeps all of them or none.
///
/// The lines are not flushed to the disk: a crash of the process loses nothing
/// that was written, a crash of the machine may.
#[derive(Debug)]
pub struct SessionLog {
    transcript: Transcript,
}

impl SessionLog {
    /// Creates a log that appends to `transcript`.
    ///
    /// Lines that it has already are kept; the caller passes only new entries.
    #[must_use]
    pub fn new(transcript: Transcript) -> Self {
        Self { transcript }
    }
}

impl Journal for SessionLog {
    fn note(&mut self, note: &Note) -> Result<(), JournalError> {
        let record = match note {
            Note::Context(context) => Record::Context(raw(context)?),
            Note::Read(read) => Record::Read(raw(read)?),
        };
        Ok(self.transcript.append(&record)?)
    }

    fn entries(&mut self, entries: &[Entry]) -> Result<(), JournalError> {
        let [entry] = entries else {
            return self.append_together(entries);
        };
        Ok(self
            .transcript
            .append(&Record::Entry(Box::new(entry.clone())))?)
    }

    fn sent(&mut self, sent: &SentRequest<'_>) -> Result<(), JournalError> {
        let elapsed_ms = u64::try_from(sent.elapsed.as_millis()).unwrap_or(u64::MAX);
        let record = Record::Sent(Sent {
            turn: sent.turn,
            elapsed_ms,
            reminders: raw(sent.reminders)?,
            body: sent.body.into(),
        });
        Ok(self.transcript.append(&record)?)
    }

    fn usage(&mut self, usage: Usage) -> Result<(), JournalError> {
        Ok(self.transcript.append(&Record::Usage(usage))?)
    }

    fn context_edits(&mut self, context_management: &RawJson) -> Result<(), JournalError> {
        let record = Record::ContextEdits(context_management.clone());
        Ok(self.transcript.append(&record)?)
    }
}

impl SessionLog {
    /// Appends entries as one record, or one by one if they are too long for
    /// one line (many large images).
    ///
    /// An empty list writes nothing.
    fn append_together(&mut self, entries: &[Entry]) -> Result<(), JournalError> {
        if entries.is_empty() {
            return Ok(());
        }
        let together = self.transcript.append(&Record::Entries(entries.to_vec()));
        match together {
            Err(error) if error.kind() == TranscriptErrorKind::TooLong => {
                for entry in entries {
                    let record = Record::Entry(Box::new(entry.clone()));
                    self.transcript.append(&record)?;
                }
                Ok(())
            }
            written => Ok(written?),
        }
    }
}

/// The JSON of the value as it is written into the line.
fn raw(value: &impl Serialize) -> serde_json::Result<RawJson> {
    RawJson::parse(&serde_json::to_string(value)?)
}
