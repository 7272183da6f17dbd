use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use aside_agent::{Note, Past};
use aside_messages::conversation::{Conversation, Entry, EntryKind, Origin};
use aside_messages::wire::RawJson;
use aside_reminder::Snapshot;
use aside_transcript::{Contents, Record, Sent};
use serde::de::DeserializeOwned;
use uuid::Uuid;

/// What a transcript says of its session: the conversation, and what goes with
/// it. `None` where it ended before anything was written.
pub(super) fn read(contents: &Contents, id: Uuid) -> anyhow::Result<Option<(Past, Conversation)>> {
    let conversation = contents
        .conversation(id)
        .map_err(|entry| anyhow!("two entries have the id {entry}"))?;
    let notes = notes(&contents.records)?;
    let sent = Requests::of(&contents.records);
    let reminders = sent.reminders();
    let reminders = reminders.context("failed to read the counters of reminders")?;
    let (requests, elapsed_ms) = match sent.answered {
        Some(sent) => (sent.turn + 1, sent.elapsed_ms),
        None => (0, 0),
    };
    let elapsed = Duration::from_millis(elapsed_ms);
    let past = Past::of(notes, &conversation, requests, elapsed, reminders);
    if past.is_none() && !contents.records.is_empty() {
        // A session that began anew here would be written behind this one.
        bail!("no line says what the session found: one with \"opened\" is missing");
    }
    Ok(past.map(|past| (past, conversation)))
}

fn notes(records: &[Record]) -> anyhow::Result<Vec<Note>> {
    let notes = records.iter().zip(1..).filter_map(|(record, line)| {
        let note = match record {
            Record::Opened(raw) => typed(raw).map(|opened| Note::Opened(Box::new(opened))),
            Record::Read(raw) => typed(raw).map(Note::Read),
            _ => return None,
        };
        Some(note.with_context(|| format!("failed to read line {line}")))
    });
    notes.collect()
}

fn typed<T: DeserializeOwned>(raw: &RawJson) -> serde_json::Result<T> {
    serde_json::from_str(raw.get())
}

/// The requests of a session.
#[derive(Default)]
struct Requests<'a> {
    /// The last one whose answer was written down.
    answered: Option<&'a Sent>,
    /// One after it, which will be sent again, and so does not count.
    open: Option<&'a Sent>,
    /// The reminders that it brought into the conversation. They have fired.
    told: Vec<&'a str>,
}

impl<'a> Requests<'a> {
    fn of(records: &'a [Record]) -> Self {
        let mut requests = Self::default();
        for record in records {
            match record {
                Record::Sent(sent) => {
                    requests.open = Some(sent);
                    requests.told.clear();
                }
                Record::Entry(entry) if is_answer(entry) => {
                    requests.answered = requests.open.take().or(requests.answered);
                }
                Record::Entry(entry) => {
                    if let Origin::Reminder { id } = &entry.origin {
                        requests.told.push(id);
                    }
                }
                _ => {}
            }
        }
        requests
    }

    fn reminders(&self) -> serde_json::Result<Snapshot> {
        let of = |sent: Option<&Sent>| match sent {
            Some(sent) => typed(&sent.reminders),
            None => Ok(Snapshot::default()),
        };
        let mut snapshot: Snapshot = of(self.answered)?;
        let open = of(self.open)?.reminders.into_iter();
        for counters in open.filter(|it| self.told.contains(&it.id.as_str())) {
            snapshot.reminders.retain(|known| known.id != counters.id);
            snapshot.reminders.push(counters);
        }
        Ok(snapshot)
    }
}

fn is_answer(entry: &Entry) -> bool {
    matches!(entry.origin, Origin::Model { .. }) || entry.kind == EntryKind::Aborted
}
