use aside_messages::conversation::{Conversation, Entry, EntryKind, Origin};

use super::Session;
use crate::config::{PromptMode, SessionConfig};
use crate::kinds;
use crate::resume_state::ResumeState;
use crate::sections::registry;
use crate::session_time::SessionTime;

impl Session {
    /// Resumes a session. Nothing is gathered: with the same `config`, the next
    /// request has the bytes that it would have had if the session had
    /// continued. The date and the time of the configuration are those of
    /// today; its tools count once [`Session::set_tools`] or
    /// [`Session::set_state`] is called.
    ///
    /// Entries that belong to the beginning of the conversation, or to its
    /// last boundary, and were never stored are appended to it.
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
        // No request was sent since the clear: the counters are older.
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
        let today = config.date;
        let mut session = Self::assemble(config, context, registry, diagnostics);
        session.set_date(today);
        session.context.set_noted();
        session.delivery.restore(past.reads);
        session.complete(conversation);
        session
    }

    /// Appends the first entries that are missing.
    fn complete(&self, conversation: &mut Conversation) {
        let is_boundary = |entry: &Entry| matches!(entry.kind, EntryKind::Boundary(_));
        let is_context = |entry: &Entry| matches!(entry.origin, Origin::Context { .. });
        let entries = conversation.entries();
        let start = entries.iter().rposition(is_boundary);
        let begun = &entries[start.map_or(0, |at| at + 1)..];
        if begun.iter().all(is_context) {
            let there = begun.len();
            for entry in self.context.first_entries().iter().skip(there) {
                conversation.push(entry.clone());
            }
        }
    }
}
