//! Continuing a session in another process, from the notes that the first one
//! stored.
//!
//! The recorded layout, mode, cache lifetime, sections and counters come before
//! the configuration. If arguments differ (prompt, attribution, ids in messages,
//! model), the change is applied, reported, and recorded as a prefix reset, so
//! that thinking that the API would refuse is left out.

use aside_cache_split::TtlReason;
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{Conversation, Delivery, Entry, EntryDraft, Origin};
use aside_messages::lower::PrefixReset;
use aside_messages::wire::Ttl;
use aside_prompt_sections::{Environment, ResolvedSection, Value, names};

use super::Session;
use super::context::Context;
use crate::config::{PromptMode, SessionConfig};
use crate::delivery_form::{delivery_with, has_thinking, is_same_model, lower_options, may_bind};
use crate::kinds;
use crate::message_form::MessageForm;
use crate::on_disk::OnDisk;
use crate::resume_state::ResumeState;
use crate::sections::Sections;
use crate::session_context::SessionContext;
use crate::session_time::SessionTime;

impl Session {
    /// Resumes a session without gathering its context again. With the same
    /// `config`, the next request has the bytes that it would have had without
    /// the interruption. A mode that the state of the configuration does not name is the
    /// recorded one. The date and the time of the configuration are the
    /// present ones; its tools are used once [`Session::set_tools`] or
    /// [`Session::set_state`] is called.
    ///
    /// If entries at the conversation's beginning, or at its last boundary,
    /// were never stored, they are appended to it.
    #[must_use]
    pub fn resume(
        mut config: SessionConfig,
        past: ResumeState,
        conversation: &mut Conversation,
    ) -> Self {
        let mut diagnostics = Vec::new();
        let mut context = past.context;
        let requests = past.requests;
        let mut is_noted = resume_prompt(&mut config, &mut context, requests, &mut diagnostics);
        is_noted &= resume_form(&mut config, &mut context, requests, &mut diagnostics);
        diagnostics.extend(lifetime_fault(&config, &context));
        config.cache.global_scope.betas_disabled |= context.betas_refused;
        context.keep_modes(&mut config.state);
        is_noted &= context.record_modes(&config.state);
        config.layout = context.layout;
        config.mode = match context.sections {
            Some(_) => PromptMode::Full,
            None => PromptMode::Simple,
        };
        config.turn = past.requests;
        config.time =
            SessionTime { elapsed: config.time.elapsed.max(past.time.elapsed), ..config.time };
        // No request was sent since the clear, so the stored counters are
        // outdated.
        if context.cleared == Some(past.requests) {
            config.reminders.reset_all();
        } else {
            config.reminders.restore(past.reminders);
        }
        let recorded = context.last_delivery(conversation).cloned();
        let recorded = recorded.as_ref();
        let sections = context.sections.as_ref().map(|resolved| {
            // Skills and agents are read before the next request, by a refresh.
            let disk = OnDisk::default();
            let sections = Sections::new(&config, &context.tools, &disk, &mut diagnostics);
            let latest = context.latest().unwrap_or(resolved);
            for name in sections.registry.restore(latest) {
                let message = format!("section `{name}`: this program does not have it");
                diagnostics.push(kinds::UNKNOWN_SECTION.diagnostic(message));
            }
            // The settings and arguments may have changed since: a refresh announces their
            // new text. An input that is not given keeps its recorded text.
            // Consent to a directory is for one run: without it, the tools refuse the directory.
            let names_more = |it: &ResolvedSection| {
                it.name == names::ENVIRONMENT
                    && matches!(&it.value, Value::Text(text)
                        if text.contains(Environment::ADDITIONAL_DIRECTORY))
            };
            let is_elsewhere = !config.additional_directories.is_empty()
                || latest.sections().any(names_more)
                || recorded.is_some_and(|it| it.model != config.model);
            let environment = is_elsewhere.then_some(names::ENVIRONMENT);
            let followed = [names::LANGUAGE, names::OUTPUT_STYLE];
            let given = config.state.sections.given().chain(environment);
            for name in followed.into_iter().chain(given) {
                let _ = sections.registry.retry(name);
            }
            sections
        });
        let tools_replaced = context.tools_replaced;
        let today = config.date;
        let disk = OnDisk::default();
        let context = Context::new(&config, context, disk, sections, &mut diagnostics);
        let mut session = Self::from_context(config, context, diagnostics);
        session.set_date(today);
        if is_noted {
            session.context.set_noted();
        }
        session.follow_delivery(recorded, conversation);
        session.follow_system(past.requests);
        // The process that made a change may have ended without sending a
        // request.
        let changed = session.context();
        let changes = [
            (changed.prompt_changed, PrefixReset::Prompt),
            (changed.form_changed, PrefixReset::Options),
            (changed.breaker_changed, PrefixReset::CacheBreaker),
            (tools_replaced, PrefixReset::Tools),
        ];
        for (_, reset) in changes.iter().filter(|it| it.0 == Some(requests)) {
            session.reset(*reset);
        }
        session.delivery.restore(past.reads);
        session.started_calls = past.started;
        session.complete(conversation);
        session.delivery.follow(conversation);
        session.delivery.reminders.renew(conversation);
        session.pipeline.sent = past.time.since_epoch;
        session.pipeline.start(conversation, &session.context);
        session
    }

    /// Records model, platform or form of delivery if it differs from the last
    /// request's.
    ///
    /// A conversation without a record, which has thinking, may be any model's:
    /// a model that binds thinking does not get it
    /// ([`PrefixReset::Unrecorded`]). A model whose name was unknown and whose
    /// responses were signed keeps binding its thinking.
    fn follow_delivery(&mut self, recorded: Option<&Delivery>, conversation: &Conversation) {
        let mut now = self.context.form.clone();
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
                let same = Delivery { model: now.model.clone(), ..recorded.clone() };
                (same != now).then_some(PrefixReset::Delivery)
            }
        };
        if recorded.is_none() {
            self.context.set_form(now.clone());
        }
        if let Some(reset) = reset {
            if recorded.is_some() {
                self.record(EntryDraft::delivery(now));
            }
            self.reset(reset);
            if reset.rewrites_tools() {
                self.rewrite_tools();
            }
        }
    }

    /// Records the change when the system prompt differs from the recorded one
    /// although no option does, for example in another version of the program.
    fn follow_system(&mut self, requests: u64) {
        let is_known = self.context().prompt_changed == Some(requests);
        if !self.context.has_other_system || is_known {
            return;
        }
        self.context.change().prompt_changed = Some(requests);
        let message = "the system prompt is not the recorded one: it is that of this version and \
                       configuration, and thinking from before is lost if the model binds it to \
                       the prefix";
        self.diagnostics.push(kinds::FORM_CHANGED.diagnostic(message));
    }

    /// Appends first entries that are missing.
    ///
    /// They are missing if the first process ended before it stored them.
    /// Entries after the last boundary are compared, or all of them without a
    /// boundary; missing ones are appended only if there is nothing else.
    fn complete(&self, conversation: &mut Conversation) {
        let is_context = |entry: &Entry| matches!(entry.origin, Origin::Context { .. });
        let entries = conversation.entries();
        let start = entries.iter().rposition(Entry::is_boundary);
        let begun = &entries[start.map_or(0, |at| at + 1)..];
        if begun.iter().all(is_context) {
            let present = begun.len();
            for entry in self.context.composed.first_entries.iter().skip(present) {
                conversation.push(entry.clone());
            }
        }
    }
}

/// Chooses between the configured and the recorded prompt, and reports each
/// argument that changes it. Returns true if the prompt is recorded.
///
/// An argument that the configuration does not set takes the recorded value. If
/// an argument differs, the configured prompt is used, and `prompt_changed`
/// records how many requests came before the change.
fn resume_prompt(
    config: &mut SessionConfig,
    context: &mut SessionContext,
    requests: u64,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let Some(recorded) = &context.prompt else {
        context.prompt = Some(config.prompt.clone());
        return false;
    };
    let mut changed = config.prompt.resume(recorded);
    if config.attribution.is_none() {
        config.attribution.clone_from(&context.attribution);
    } else if config.attribution != context.attribution {
        context.attribution.clone_from(&config.attribution);
        // An older version did not record it, and simple mode does not send it.
        if context.system_hash.is_some() && context.sections.is_some() {
            changed.push("--attribution");
        }
    }
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
    changed.is_empty()
}

/// Chooses between the configured and the recorded form of messages, and
/// reports a change. Ids stay even if the configuration has none. Returns true
/// if the form is recorded.
///
/// Once messages have ids (`tag_ids`), they keep them for the whole session.
fn resume_form(
    config: &mut SessionConfig,
    context: &mut SessionContext,
    requests: u64,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let recorded = context.message_form;
    config.lower.tag_ids |= recorded.is_some_and(|it| it.tag_ids);
    let now = MessageForm::of(&config.lower);
    context.message_form = Some(now);
    if recorded.is_some_and(|it| it != now) {
        context.form_changed = Some(requests);
        let message = "the messages have another form than the recorded one (--snip gives them \
                       ids): thinking from before is lost if the model binds it to the prefix";
        diagnostics.push(kinds::FORM_CHANGED.diagnostic(message));
    }
    recorded == Some(now)
}

/// Returns a note if the configuration chooses another lifetime of cache entries, or of shared
/// layers, than the recorded one, which the session keeps.
fn lifetime_fault(config: &SessionConfig, context: &SessionContext) -> Option<Diagnostic> {
    let (recorded, now) = (context.ttl, config.cache.ttl(context.layout));
    let is_chosen = if now.policy == recorded.policy {
        now.prefix != recorded.prefix && config.cache.prefix.is_some()
    } else {
        now.reason != TtlReason::Default
    };
    if !is_chosen {
        return None;
    }
    let message = if now.policy == recorded.policy {
        let (kept, ignored) = match recorded.prefix {
            Ttl::FiveMinutes => ("five minutes", "one hour"),
            Ttl::OneHour => ("one hour", "five minutes"),
        };
        format!(
            "the session keeps the lifetime of shared layers that it began with ({kept}): \
             {ignored} is ignored"
        )
    } else {
        format!(
            "the session keeps the lifetime of cache entries that it began with ({}): {} ({}) is \
             ignored",
            recorded.policy, now.policy, now.reason
        )
    };
    Some(kinds::LIFETIME_RECORDED.diagnostic(message))
}
