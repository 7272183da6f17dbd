//! The records that a program stores next to a conversation, and the state that
//! is read back from them.
//!
//! A record is written before the entries that it belongs to. So after a crash
//! there may be a record without its entries, which is void, and never entries
//! without their record.

use std::time::Duration;

use aside_attachments::EditedFile;
use aside_messages::conversation::{Conversation, Entry, EntryKind};
use aside_reminder::Snapshot;
use serde::{Deserialize, Serialize};

use crate::read_state::KnownFile;
use crate::session_context::SessionContext;

/// A record to store next to the conversation, so that the session can be
/// resumed.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// The gathered context. A later one replaces an earlier one.
    Context(Box<SessionContext>),
    /// The model has seen a file, or will see it with the next request.
    Read(ReadNote),
}

/// A file that the model has seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadNote {
    /// The number of restarts of the conversation before the read. A restart
    /// removes earlier reads from the view of the model.
    pub restarts: u64,
    /// The number of entries in the conversation once the read is part of it.
    /// The note is void if the conversation is shorter.
    #[serde(default)]
    pub entries: u64,
    /// The file.
    pub file: KnownFile,
    /// The difference to deliver, if the file was changed outside the session.
    /// The model knows the new text only after the delivery.
    #[serde(default)]
    pub edit: Option<EditedFile>,
}

/// The stored state of a session to resume, in addition to its conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumeState {
    /// The gathered context.
    pub context: SessionContext,
    /// The files that the model has seen, in order.
    pub reads: Vec<ReadNote>,
    /// The number of requests that were sent.
    pub requests: u64,
    /// The age of the session.
    pub elapsed: Duration,
    /// The counters of the reminders when the last request was sent.
    pub reminders: Snapshot,
}

impl ResumeState {
    /// Builds the state from the notes of a session, in the order in which they
    /// were written. Returns `None` without a note of the context.
    ///
    /// A note is written before the entries that it belongs to, and so may have
    /// been stored alone. A note of a boundary or a file whose entries are
    /// missing is left out.
    #[must_use]
    pub fn of(
        notes: impl IntoIterator<Item = Note>,
        conversation: &Conversation,
        requests: u64,
        elapsed: Duration,
        reminders: Snapshot,
    ) -> Option<Self> {
        let entries = conversation.entries().iter();
        let is_boundary = |entry: &&Entry| matches!(entry.kind, EntryKind::Boundary(_));
        let boundaries = entries.filter(is_boundary).count() as u64;
        let entry_count = conversation.entries().len() as u64;
        let mut context: Option<SessionContext> = None;
        let mut reads = Vec::new();
        for note in notes {
            match note {
                Note::Context(it) if it.restarts <= boundaries || context.is_none() => {
                    context = Some(*it);
                }
                Note::Context(_) => {}
                Note::Read(read) if read.entries <= entry_count => reads.push(read),
                Note::Read(_) => {}
            }
        }
        Some(Self {
            context: context?,
            reads,
            requests,
            elapsed,
            reminders,
        })
    }
}
