use aside_messages::conversation::{Conversation, Entry, EntryKind, Origin};

use crate::attachments::Edit;
use crate::config::{PromptMode, SessionConfig};
use crate::kinds;
use crate::reminders::SessionTime;
use crate::resume_state::ResumeState;
use crate::sections::registry;
use crate::session::Session;

impl Session {
    /// Takes a session up again. Nothing is gathered: with the same `config`,
    /// the next request has the bytes that it would have had if the session
    /// had gone on. What counts of the configuration's date and time is what
    /// they say of today; its tools count once [`Session::set_tools`] or
    /// [`Session::set_state`] says how things stand.
    ///
    /// Entries that belong to the beginning of the conversation, or to its
    /// last boundary, and were never written down are appended to it.
    #[must_use]
    pub fn resume(
        mut config: SessionConfig,
        past: ResumeState,
        conversation: &mut Conversation,
    ) -> Self {
        let mut diagnostics = Vec::new();
        let context = past.context;
        config.layout = context.layout;
        config.mode = match context.sections {
            Some(_) => PromptMode::Full,
            None => PromptMode::Simple,
        };
        config.turn = past.requests;
        config.time = SessionTime {
            elapsed: config.time.elapsed.max(past.elapsed),
            ..config.time
        };
        // No request has gone out since the clear: its counters are of before.
        if context.cleared == Some(past.requests) {
            config.reminders.reset_all();
        } else {
            config.reminders.restore(past.reminders);
        }
        let registry = context.sections.as_ref().map(|sections| {
            let registry = registry(&config, &context.tools, &mut diagnostics);
            for name in registry.restore(context.latest().unwrap_or(sections)) {
                let message = format!("section `{name}`: this program does not have it");
                diagnostics.push(kinds::UNKNOWN_SECTION.diagnostic(message));
            }
            registry
        });
        let (anew, today) = (context.anew, config.date);
        let mut session = Self::assemble(config, context, registry, diagnostics);
        session.set_date(today);
        // It is written down already.
        session.is_noted = true;
        for note in past.reads {
            if note.anew != anew {
                continue;
            }
            let path = &note.file.read.path;
            session.edits.retain(|edit| edit.now.read.path != *path);
            match note.edit {
                Some(edit) => session.edits.extend(Edit::new(edit, note.file)),
                None => session.reads.insert(note.file),
            }
        }
        session.complete(conversation);
        session
    }

    /// Appends what is missing of the first entries.
    fn complete(&self, conversation: &mut Conversation) {
        let is_boundary = |entry: &Entry| matches!(entry.kind, EntryKind::Boundary(_));
        let is_context = |entry: &Entry| matches!(entry.origin, Origin::Context { .. });
        let entries = conversation.entries();
        let start = entries.iter().rposition(is_boundary);
        let begun = &entries[start.map_or(0, |at| at + 1)..];
        if begun.iter().all(is_context) {
            let there = begun.len();
            for entry in self.composed.first_entries.iter().skip(there) {
                conversation.push(entry.clone());
            }
        }
    }
}
