//! The records that a program stores next to a conversation, and the state to
//! read back from them.
//!
//! A record is written before the entries that it belongs to. So after a crash
//! there may be a record without its entries, which is void, but never entries
//! without their record.

use std::sync::Arc;

use aside_attachments::EditedFile;
use aside_messages::conversation::{Conversation, TurnState};
use aside_reminder::Snapshot;
use serde::{Deserialize, Serialize};

use crate::read_state::KnownFile;
use crate::session_context::SessionContext;
use crate::session_time::SessionTime;

/// A record to store next to the conversation, so that you can resume the
/// session.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// The gathered context. A later one replaces an earlier one.
    Context(Box<SessionContext>),
    /// The model has seen a file, or will see it with the next request.
    Read(ReadNote),
    /// Calls that change something are about to run.
    Started(StartedNote),
}

/// A file that the model has seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadNote {
    /// How often the conversation had restarted before the read. After a
    /// restart the model no longer sees earlier reads.
    pub restarts: u64,
    /// How many entries the conversation has once the read is part of it. The
    /// note is void if the conversation is shorter.
    #[serde(default)]
    pub entries: u64,
    /// The file.
    pub file: KnownFile,
    /// The difference to deliver, if the file was changed outside the session.
    /// The model knows the new text only after delivery.
    #[serde(default)]
    pub edit: Option<EditedFile>,
}

/// Calls that may change something, recorded before they run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartedNote {
    /// How many entries the conversation has. The note is void if it is shorter.
    pub entries: u64,
    /// The calls' ids.
    pub calls: Vec<Arc<str>>,
}

/// What is stored about a session to resume, besides its conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumeState {
    /// The gathered context.
    pub context: SessionContext,
    /// The files that the model has seen, in order.
    pub reads: Vec<ReadNote>,
    /// The calls without a result that had started, and may have changed something.
    pub started: Vec<Arc<str>>,
    /// How many requests were sent.
    pub requests: u64,
    /// The time when the last request was sent.
    pub time: SessionTime,
    /// The reminder counters when the last request was sent.
    pub reminders: Snapshot,
}

impl ResumeState {
    /// Builds the state from a session's notes, in the order they were written.
    /// `None` without a note on the context.
    ///
    /// A note is written before the entries that it belongs to, so it may have
    /// been stored alone. A note on a boundary or a file whose entries are
    /// missing is left out.
    #[must_use]
    pub fn of(
        notes: impl IntoIterator<Item = Note>,
        conversation: &Conversation,
        requests: u64,
        time: SessionTime,
        reminders: Snapshot,
    ) -> Option<Self> {
        let entries = conversation.entries().iter();
        let boundaries = entries.filter(|entry| entry.is_boundary()).count() as u64;
        let entry_count = conversation.entries().len() as u64;
        let mut context: Option<SessionContext> = None;
        let (mut reads, mut started) = (Vec::new(), Vec::new());
        for note in notes {
            match note {
                Note::Context(it) if it.restarts <= boundaries || context.is_none() => {
                    context = Some(*it);
                }
                Note::Read(read) if read.entries <= entry_count => reads.push(read),
                Note::Started(note) if note.entries <= entry_count => started.extend(note.calls),
                _ => {}
            }
        }
        match TurnState::from_entries(conversation.entries()) {
            TurnState::Calls(calls) => started.retain(|id| calls.iter().any(|it| it.id == *id)),
            _ => started.clear(),
        }
        Some(Self { context: context?, reads, started, requests, time, reminders })
    }
}
