use aside_cache_split::Caching;
use aside_messages::conversation::EntryDraft;
use aside_prompt_sections::{Diagnostic as PromptFault, Registry};

use crate::config::{PromptMode, SessionConfig};
use crate::diagnostic::{Area, Diagnostic};
use crate::opened::Opened;
use crate::prefix::{Frame, Prefix};
use crate::prompt_report::{Gathered, PromptReport};

/// What follows from what was gathered, until it is gathered anew.
#[derive(Debug)]
pub(crate) struct Composed {
    pub(crate) report: PromptReport,
    /// What the model is told before the human's first word.
    pub(crate) first_entries: Vec<EntryDraft>,
    pub(crate) frame: Frame,
    pub(crate) prefix: Prefix,
}

impl Composed {
    pub(crate) fn new(
        config: &SessionConfig,
        opened: &Opened,
        registry: Option<&Registry>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let default = opened.prompt(config);
        let effective = config.prompt.effective(config.product, &default);
        // In simple mode nothing explains reminders, and hardly any is sent.
        let is_simple = config.mode == PromptMode::Simple;
        let is_wanted = |fault: &PromptFault| {
            !(is_simple && matches!(fault, PromptFault::ReminderTagUnexplained { .. }))
        };
        let faults = effective.diagnostics.iter().filter(|it| is_wanted(it));
        diagnostics.extend(faults.map(|it| Diagnostic::new(Area::Prompt, it)));
        if config.cache.caching == Caching::Off {
            let off = "prompt caching is off: no marker is sent";
            diagnostics.push(Diagnostic::new(Area::Cache, off));
        }
        let first_entries = opened.first_entries(&effective.prompt);
        let prompt = opened.with_context(config, effective.prompt.clone());
        let frame = Frame::new(config, effective.rule, prompt);
        let prefix = frame.around(&opened.tools);
        let report = PromptReport::new(&Gathered {
            registry,
            resolved: opened.sections.as_ref(),
            prompt: frame.prompt(),
            effective: &effective,
            layout: opened.layout,
            split: &prefix.split,
        });
        Self {
            report,
            first_entries,
            frame,
            prefix,
        }
    }
}
