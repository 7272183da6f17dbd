use aside_attachments::ContextSection;
use aside_attachments::cadence::ContextSections;
use aside_cache_split::{Caching, Layout};
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::EntryDraft;
use aside_prompt_sections::{
    ContextEntry, Diagnostic as PromptFault, Effective, Registry, Resolved, SystemPrompt,
    session_sections,
};

use crate::config::{PromptMode, SessionConfig};
use crate::kinds;
use crate::prefix::{Frame, Prefix};
use crate::prompt_report::{Gathered, PromptReport};
use crate::session_context::SessionContext;

/// What follows from what was gathered, until it is gathered anew.
#[derive(Debug)]
pub(crate) struct Composed {
    pub(crate) report: PromptReport,
    /// What the model is told before the human's first word.
    pub(crate) first_entries: Vec<EntryDraft>,
    /// The sections that stand there, where any has changed since.
    pub(crate) context_sections: Option<ContextSections>,
    pub(crate) frame: Frame,
    pub(crate) prefix: Prefix,
}

impl Composed {
    pub(crate) fn new(
        config: &SessionConfig,
        context: &SessionContext,
        registry: Option<&Registry>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let of = |sections: Option<&Resolved>| -> Effective {
            let default = context.prompt(config, sections);
            config.prompt.effective(config.product, &default)
        };
        let effective = of(context.latest());
        // In simple mode nothing explains reminders, and hardly any is sent.
        let is_simple = config.mode == PromptMode::Simple;
        let is_wanted = |fault: &PromptFault| {
            !(is_simple && matches!(fault, PromptFault::ReminderTagUnexplained { .. }))
        };
        let faults = effective.diagnostics.iter().filter(|it| is_wanted(it));
        diagnostics.extend(faults.map(Diagnostic::from));
        if config.cache.caching == Caching::Off {
            let off = "prompt caching is off: no marker is sent";
            diagnostics.push(kinds::CACHING_OFF.diagnostic(off));
        }
        let is_renewed = context.renewed.is_some();
        let first = is_renewed.then(|| of(context.sections.as_ref()).prompt);
        let first_entries = context.first_entries(first.as_ref().unwrap_or(&effective.prompt));
        // In the classic layout they stand in the system prompt, which is new.
        let is_told = context.layout == Layout::Layered;
        let context_sections = first.filter(|_| is_told).map(|first| ContextSections {
            first: told(&first),
            now: told(&effective.prompt),
        });
        let prompt = context.with_context(config, effective.prompt.clone());
        let frame = Frame::new(config, effective.rule, prompt);
        let prefix = frame.around(&context.tools);
        let report = PromptReport::new(&Gathered {
            registry,
            resolved: context.latest(),
            prompt: frame.prompt(),
            effective: &effective,
            layout: context.layout,
            split: &prefix.split,
        });
        Self {
            report,
            first_entries,
            context_sections,
            frame,
            prefix,
        }
    }
}

/// The sections that stand in the first entries.
fn told(prompt: &SystemPrompt) -> Vec<ContextSection> {
    let sections = session_sections(prompt).into_iter();
    let section = |it: ContextEntry| ContextSection {
        name: it.name,
        text: it.text.raw().to_owned(),
    };
    sections.map(section).collect()
}
