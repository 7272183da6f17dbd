use aside_agent::{Journal, JournalError, Note, SentRequest};
use aside_messages::conversation::Entry;
use aside_messages::wire::RawJson;
use aside_transcript::{BodyHash, Record, Sent, Transcript};
use serde::Serialize;

/// Writes everything into the session's transcript, at once.
#[derive(Debug)]
pub(super) struct ToTranscript(pub(super) Transcript);

impl Journal for ToTranscript {
    fn note(&mut self, note: &Note) -> Result<(), JournalError> {
        let record = match note {
            Note::Opened(opened) => Record::Opened(raw(opened)?),
            Note::Read(read) => Record::Read(raw(read)?),
        };
        Ok(self.0.append(&record)?)
    }

    fn entry(&mut self, entry: &Entry) -> Result<(), JournalError> {
        let record = Record::Entry(Box::new(entry.clone()));
        Ok(self.0.append(&record)?)
    }

    fn sent(&mut self, sent: &SentRequest<'_>) -> Result<(), JournalError> {
        let elapsed_ms = u64::try_from(sent.elapsed.as_millis()).unwrap_or(u64::MAX);
        let record = Record::Sent(Sent {
            turn: sent.turn,
            elapsed_ms,
            reminders: raw(sent.reminders)?,
            body: BodyHash::of(&sent.body.to_vec()),
        });
        Ok(self.0.append(&record)?)
    }
}

fn raw(value: &impl Serialize) -> serde_json::Result<RawJson> {
    RawJson::parse(&serde_json::to_string(value)?)
}
