use std::sync::Arc;
use std::time::Duration;

use aside_agent::{Journal, JournalError, SentRequest};
use aside_messages::conversation::{Entry, EntryKind, Origin};
use aside_messages::wire::RawJson;
use aside_reminder::{Manager, Snapshot};
use aside_transcript::{BodyHash, Record, Sent, Transcript};

/// Writes everything into the session's transcript, at once.
#[derive(Debug)]
pub(super) struct ToTranscript {
    pub(super) transcript: Transcript,
    /// Those of the session, for their counters.
    pub(super) reminders: Arc<Manager>,
}

impl Journal for ToTranscript {
    fn entry(&mut self, entry: &Entry) -> Result<(), JournalError> {
        let record = Record::Entry(Box::new(entry.clone()));
        Ok(self.transcript.append(&record)?)
    }

    fn sent(&mut self, sent: &SentRequest<'_>) -> Result<(), JournalError> {
        let reminders = serde_json::to_string(&self.reminders.snapshot())?;
        let elapsed_ms = u64::try_from(sent.elapsed.as_millis()).unwrap_or(u64::MAX);
        let record = Record::Sent(Sent {
            turn: sent.turn,
            elapsed_ms,
            reminders: RawJson::parse(&reminders)?,
            body: BodyHash::of(&sent.body.to_vec()),
        });
        Ok(self.transcript.append(&record)?)
    }
}

/// How far a session had come, beside its conversation.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Progress {
    /// How many requests went out.
    pub(super) turn: u64,
    pub(super) elapsed: Duration,
    pub(super) reminders: Snapshot,
}

impl Progress {
    /// From the lines of a transcript. A request whose answer was never
    /// written down will be sent again, and so does not count.
    pub(super) fn of(records: &[Record]) -> serde_json::Result<Self> {
        let (mut settled, mut open) = (None, None);
        for record in records {
            match record {
                Record::Sent(sent) => open = Some(sent),
                Record::Entry(entry) if is_answer(entry) => settled = open.take().or(settled),
                _ => {}
            }
        }
        let Some(sent) = settled else {
            return Ok(Self::default());
        };
        Ok(Self {
            turn: sent.turn + 1,
            elapsed: Duration::from_millis(sent.elapsed_ms),
            reminders: serde_json::from_str(sent.reminders.get())?,
        })
    }
}

fn is_answer(entry: &Entry) -> bool {
    matches!(entry.origin, Origin::Model { .. }) || entry.kind == EntryKind::Aborted
}
