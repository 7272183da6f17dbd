//! What follows from the gathered context: the prompt, its blocks, the first
//! entries. All this is computed once, and again when the context is gathered
//! again.

use std::sync::OnceLock;

use aside_attachments::ContextSection;
use aside_attachments::cadence::ContextSections;
use aside_cache_split::Caching;
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::EntryDraft;
use aside_prompt_sections::{
    ContextEntry, Effective, PromptDiagnostic, PromptRule, Resolved, SystemPrompt,
    comparable_sections,
};

use crate::config::{PromptMode, SessionConfig};
use crate::delivery_form::changes_prompt_in_place;
use crate::kinds;
use crate::prefix::{Frame, Prefix};
use crate::prompt_report::PromptReport;
use crate::session_context::SessionContext;

/// What follows from the gathered context, until it is gathered again.
#[derive(Debug)]
pub(crate) struct Composed {
    /// The rule that chose the prompt.
    pub(crate) rule: PromptRule,
    /// The sections for the user, if they were asked for.
    pub(crate) report: OnceLock<PromptReport>,
    /// The entries before the first user message.
    pub(crate) first_entries: Vec<EntryDraft>,
    /// The sections in these entries, if one has changed since.
    pub(crate) context_sections: Option<ContextSections>,
    /// Parameters and system prompt, to build a prefix with other tools.
    pub(crate) frame: Frame,
    /// The prefix with the present tools.
    pub(crate) prefix: Prefix,
}

impl Composed {
    /// Composes prompt and prefix.
    ///
    /// In the classic layout, on a model that does not bind its thinking, the
    /// system prompt has the latest sections. Otherwise it keeps the first
    /// ones, and `context_sections` has the difference, to deliver at a
    /// request's end. Diagnostics are for the whole prompt, so a caller that
    /// composes again may discard them.
    pub(crate) fn new(
        config: &SessionConfig,
        context: &SessionContext,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let of = |sections: Option<&Resolved>| -> Effective {
            let default = context.default_prompt(config, sections);
            let layout = context.layout;
            config.prompt.effective(config.product, layout, &default)
        };
        // Otherwise the system prompt keeps its first text, and changes are
        // appended.
        let in_place = changes_prompt_in_place(config, context.layout);
        let effective = if in_place { of(context.latest()) } else { of(context.sections.as_ref()) };
        // Simple mode's own prompt has the date, and almost no reminder is sent with it.
        let is_simple = config.mode == PromptMode::Simple && effective.rule.has_default();
        let is_wanted = |fault: &PromptDiagnostic| {
            !(is_simple && matches!(fault, PromptDiagnostic::ReminderTagUnexplained { .. }))
        };
        let faults = effective.diagnostics.iter().filter(|it| is_wanted(it));
        diagnostics.extend(faults.map(Diagnostic::from));
        if config.cache.caching == Caching::Off {
            let off = "prompt caching is off: no marker is sent";
            diagnostics.push(kinds::CACHING_OFF.diagnostic(off));
        }
        if config.clear_tool_uses.is_some() && config.clearing().is_none() {
            let facts = config.answering().facts;
            let clearing = config.accepted_clearing();
            let loss = clearing.and_then(|it| it.priced(facts).err());
            let why = loss.map_or_else(
                || "the model or its provider does not accept it, or beta features are off".into(),
                |loss| loss.to_string(),
            );
            let off = format!("the clearing of tool results is not requested: {why}");
            diagnostics.push(kinds::CLEARING_OFF.diagnostic(off));
        }
        let first_entries = context.first_entries(config.persistence, &effective);
        let is_appended = context.renewed.is_some() && !in_place;
        let context_sections = is_appended.then(|| ContextSections {
            first: context_sections_of(&effective.prompt),
            now: context_sections_of(&of(context.latest()).prompt),
        });
        let prompt = context.with_context(&effective);
        let frame = Frame::new(config, effective.rule, prompt);
        let prefix = frame.around(&context.sent_tools());
        Self {
            rule: effective.rule,
            report: OnceLock::new(),
            first_entries,
            context_sections,
            frame,
            prefix,
        }
    }
}

/// Returns the dynamic zone's sections, and those in the first entries.
fn context_sections_of(prompt: &SystemPrompt) -> Vec<ContextSection> {
    let sections = comparable_sections(prompt).into_iter();
    let section =
        |it: ContextEntry| ContextSection { name: it.name, text: it.text.raw().to_owned() };
    sections.map(section).collect()
}
