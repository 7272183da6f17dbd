use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{Conversation, Delivery, Entry, EntryDraft, EntryKind, Origin};
use aside_messages::lower::PrefixReset;

use super::Session;
use crate::config::{PromptMode, SessionConfig};
use crate::delivery_form::{
    delivery_with, has_thinking, is_same_model, lower_options, may_bind, recorded,
};
use crate::kinds;
use crate::resume_state::ResumeState;
use crate::sections::Sections;
use crate::session_context::SessionContext;
use crate::session_time::SessionTime;

impl Session {
    /// Resumes a session without gathering its context again. With the same
    /// `config`, the next request has the bytes that it would have had without
    /// the interruption. The date and the time of the configuration are the
    /// present ones; its tools are used once [`Session::set_tools`] or
    /// [`Session::set_state`] is called.
    ///
    /// Entries of the beginning of the conversation, or of its last boundary,
    /// that were never stored are appended to it.
    #[must_use]
    pub fn resume(
        mut config: SessionConfig,
        past: ResumeState,
        conversation: &mut Conversation,
    ) -> Self {
        let mut diagnostics = Vec::new();
        let mut context = past.context;
        let is_other_prompt =
            resume_prompt(&mut config, &mut context, past.requests, &mut diagnostics);
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
        // No request was sent since the clear, so the stored counters are
        // outdated.
        if context.cleared == Some(past.requests) {
            config.reminders.reset_all();
        } else {
            config.reminders.restore(past.reminders);
        }
        let sections = context.sections.as_ref().map(|resolved| {
            let sections = Sections::new(&config, &context.tools, &mut diagnostics);
            let latest = context.latest().unwrap_or(resolved);
            for name in sections.registry.restore(latest) {
                let message = format!("section `{name}`: this program does not have it");
                diagnostics.push(kinds::UNKNOWN_SECTION.diagnostic(message));
            }
            sections
        });
        let tools_replaced = context.tools_replaced == Some(past.requests);
        let today = config.date;
        let recorded = recorded(conversation)
            .or(context.delivery.as_ref())
            .cloned();
        let mut session = Self::assemble(config, context, sections, diagnostics);
        session.set_date(today);
        if !is_other_prompt {
            session.context.set_noted();
        }
        session.follow_delivery(recorded.as_ref(), conversation);
        // The process that changed the prompt may have ended without sending a
        // request.
        if session.context().prompt_changed == Some(past.requests) {
            let turn = session.delivery.turn();
            session.pipeline.reset(turn, PrefixReset::Prompt);
        }
        // The process that changed the cache breaker sent no request with it.
        if session.context().breaker_changed == Some(past.requests) {
            let turn = session.delivery.turn();
            session.pipeline.reset(turn, PrefixReset::CacheBreaker);
        }
        // The process that replaced the tools sent no request with them.
        if tools_replaced {
            let turn = session.delivery.turn();
            session.pipeline.reset(turn, PrefixReset::Tools);
        }
        session.delivery.restore(past.reads);
        session.complete(conversation);
        session
    }

    /// Records the model, platform or form of delivery if it differs from that
    /// of the last request.
    fn follow_delivery(&mut self, recorded: Option<&Delivery>, conversation: &Conversation) {
        let turn = self.delivery.turn();
        let mut now = self.context.form().clone();
        let is_bound = |it: &Delivery| it.bound && is_same_model(it, &now);
        if may_bind(&self.config) && recorded.is_some_and(is_bound) {
            // A response showed that it binds its thinking.
            now = delivery_with(&self.config, self.context().layout, true);
            self.pipeline.set_options(lower_options(&self.config, &now));
            self.context.set_form(now.clone());
        }
        let reset = match recorded {
            None if has_thinking(conversation) => Some(PrefixReset::Unrecorded),
            None => None,
            Some(recorded) if !is_same_model(recorded, &now) => Some(PrefixReset::Model),
            Some(recorded) => {
                let same = Delivery {
                    model: now.model.clone(),
                    ..recorded.clone()
                };
                (same != now).then_some(PrefixReset::Delivery)
            }
        };
        if recorded.is_none() {
            self.context.set_form(now.clone());
        }
        if let Some(reset) = reset {
            if recorded.is_some() {
                self.pipeline.record(turn, EntryDraft::delivery(now));
            }
            self.pipeline.reset(turn, reset);
            if reset.rewrites_tools() {
                self.rewrite_tools();
            }
        }
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

/// Chooses between the prompt of the configuration and the recorded one, and
/// reports each argument that changes it. Returns true if the prompt changes.
fn resume_prompt(
    config: &mut SessionConfig,
    context: &mut SessionContext,
    requests: u64,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let Some(recorded) = &context.prompt else {
        context.prompt = Some(config.prompt.clone());
        return true;
    };
    let changed = config.prompt.resume(recorded);
    for argument in &changed {
        let message = format!(
            "{argument} is not the recorded one: the system prompt changes, and thinking from \
             before is lost if the model binds it to the prefix"
        );
        diagnostics.push(kinds::PROMPT_CHANGED.diagnostic(message));
    }
    if !changed.is_empty() {
        context.prompt = Some(config.prompt.clone());
        context.prompt_changed = Some(requests);
    }
    !changed.is_empty()
}
