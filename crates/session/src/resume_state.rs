use std::time::Duration;

use aside_attachments::EditedFile;
use aside_messages::conversation::{Conversation, Entry, EntryKind};
use aside_reminder::Snapshot;
use serde::{Deserialize, Serialize};

use crate::read_state::KnownFile;
use crate::session_context::SessionContext;

/// Something to be written down, beside the conversation, for the day on which
/// the session is taken up again.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// What the session found. A later one takes the place of an earlier one.
    Context(Box<SessionContext>),
    /// The model has seen a file, or will.
    Read(ReadNote),
}

/// A file that the model has seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadNote {
    /// How often the conversation had begun anew: what it saw before the last
    /// time, the model has forgotten.
    pub anew: u64,
    /// How many entries the conversation has once the model has seen it: the
    /// note counts for nothing where they never came.
    #[serde(default)]
    pub entries: u64,
    /// The file.
    pub file: KnownFile,
    /// Somebody else changed it, and this is what the model is to be told: it
    /// knows the file only then.
    #[serde(default)]
    pub edit: Option<EditedFile>,
}

/// What a session that is taken up again goes on from, beside the
/// conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumeState {
    /// What it had found.
    pub context: SessionContext,
    /// The files that the model had seen, in that order.
    pub reads: Vec<ReadNote>,
    /// How many requests had gone out.
    pub requests: u64,
    /// How long it had gone on.
    pub elapsed: Duration,
    /// How often each reminder had fired when the last request went out.
    pub reminders: Snapshot,
}

impl ResumeState {
    /// From the notes of a session, in the order in which they were written.
    /// `None` where none of them says what the session found.
    ///
    /// A note is written ahead of the entries that it goes with, and so may
    /// have come alone: what it says of a boundary, or of a file, that never
    /// came is left out.
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
        let there = conversation.entries().len() as u64;
        let mut context: Option<SessionContext> = None;
        let mut reads = Vec::new();
        for note in notes {
            match note {
                Note::Context(it) if it.anew <= boundaries || context.is_none() => {
                    context = Some(*it);
                }
                Note::Context(_) => {}
                Note::Read(read) if read.entries <= there => reads.push(read),
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
