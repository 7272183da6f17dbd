//! A session's gathered context, and what follows from it: prompt, prefix, form
//! of delivery.

use std::future;
use std::mem;
use std::path::Path;

use aside_attachments::{Attachment, CompactFileReference, File, NestedMemory};
use aside_claudemd::skills::ReleasedSkills;
use aside_claudemd::{Changes, Memory, MemoryFile};
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{Delivery, ToolForm};
use aside_messages::tool_texts;
use aside_models::{TokenEstimate, Tokenizer, estimate};
use aside_prompt_sections::{DynamicSection, Registry, Resolved, Segment};

use crate::composed::Composed;
use crate::config::SessionConfig;
use crate::delivery_form::delivery_of;
use crate::gather::{Instructions, gather};
use crate::on_disk::{OnDisk, text_in};
use crate::prompt_report::{Gathered, PromptReport};
use crate::resume_state::Note;
use crate::sections::Sections;
use crate::session_context::SessionContext;
use crate::state::SessionState;
use crate::tool_list::ToolUpdate;
use crate::tools::SessionTool;

/// The gathered context, with prompt and prefix.
#[derive(Debug)]
pub(super) struct Context {
    /// What a note stores.
    gathered: SessionContext,
    /// Skills, agents and changed instruction files, as last seen.
    pub(super) disk: OnDisk,
    /// Where the sections come from; `None` in simple mode.
    sections: Option<Sections>,
    /// What follows from `gathered`.
    pub(super) composed: Composed,
    /// How this session delivers now. The gathered context has the first form.
    pub(super) form: Delivery,
    /// True if a resumed session's record has another system prompt.
    pub(super) has_other_system: bool,
    /// True if the stored note equals `gathered`.
    is_noted: bool,
}

impl Context {
    /// Composes the prompt from a context that was gathered or read back.
    pub(super) fn new(
        config: &SessionConfig,
        gathered: SessionContext,
        disk: OnDisk,
        sections: Option<Sections>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let composed = Composed::new(config, &gathered, diagnostics);
        let recorded = gathered.system_hash.clone();
        let mut context = Self {
            form: delivery_of(config, gathered.layout),
            gathered,
            disk,
            sections,
            composed,
            has_other_system: false,
            is_noted: false,
        };
        context.hash_system();
        context.record_files(&config.state);
        context.has_other_system = recorded.is_some() && recorded != context.gathered.system_hash;
        context
    }

    /// Records the system prompt's hash, so that a resumed session notices
    /// another one.
    fn hash_system(&mut self) {
        let hash = self.composed.prefix.system.hash();
        self.gathered.system_hash = Some(hash.to_string());
    }

    pub(super) fn set_form(&mut self, form: Delivery) {
        self.change().delivery.get_or_insert_with(|| form.clone());
        self.form = form;
    }

    /// Replaces what was read from disk, and returns the new diagnostics.
    pub(super) fn set_disk(&mut self, disk: OnDisk, state: &SessionState) -> Vec<Diagnostic> {
        let before = mem::replace(&mut self.disk, disk);
        self.record_files(state);
        let is_new = |it: &&Diagnostic| !before.diagnostics.contains(it);
        self.disk.diagnostics.iter().filter(is_new).cloned().collect()
    }

    /// Records where the skills and agents to announce are from. If there is none, those
    /// announced before may still have to be withdrawn.
    fn record_files(&mut self, state: &SessionState) {
        if !self.disk.is_read {
            return;
        }
        let Self { gathered, disk, .. } = self;
        let agents = state.agents.is_none() && (gathered.file_agents || !disk.agents.is_empty());
        let skills = state.skills.is_empty() && (gathered.file_skills || !disk.skills.is_empty());
        self.is_noted &= (agents, skills) == (gathered.file_agents, gathered.file_skills);
        (gathered.file_agents, gathered.file_skills) = (agents, skills);
    }

    pub(super) fn gathered(&self) -> &SessionContext {
        &self.gathered
    }

    /// Returns the context to change it; it is noted again.
    pub(super) fn change(&mut self) -> &mut SessionContext {
        self.is_noted = false;
        &mut self.gathered
    }

    /// Returns the texts that the model gets before the messages, in pieces.
    pub(super) fn prefix_texts(&self) -> impl Iterator<Item = &str> {
        let tools = self.gathered.tools.iter();
        let tools = tools.flat_map(|it| tool_texts(&it.tool));
        self.composed.frame.prompt.segments().map(Segment::text).chain(tools)
    }

    /// Estimates the tokens in [`Context::prefix_texts`], once for each prefix.
    pub(super) fn prefix_tokens(&self, family: Tokenizer) -> TokenEstimate {
        let texts = || self.prefix_texts().map(|it| estimate(it, family)).sum();
        *self.composed.prefix.tokens.get_or_init(texts)
    }

    /// Returns the report, which is made when it is first asked for.
    pub(super) fn prompt_report(&self, family: Tokenizer) -> &PromptReport {
        let report = || {
            PromptReport::new(&Gathered {
                registry: self.registry(),
                resolved: self.gathered.latest(),
                prompt: &self.composed.frame.prompt,
                rule: self.composed.rule,
                layout: self.gathered.layout,
                split: &self.composed.prefix.split,
                tokenizer: family,
            })
        };
        self.composed.report.get_or_init(report)
    }

    /// `None` in simple mode.
    fn registry(&self) -> Option<&Registry> {
        self.sections.as_ref().map(|it| &it.registry)
    }

    /// Passes state and tools to the sections that are computed from now on.
    pub(super) fn set_section_values(&self, config: &SessionConfig) {
        if let Some(sections) = &self.sections {
            sections.values.set(config, &self.gathered.tools, &self.disk);
        }
    }

    /// Records the modes of a state.
    pub(super) fn record_modes(&mut self, state: &SessionState) {
        self.is_noted &= self.gathered.record_modes(state);
    }

    /// Replaces the value of a default section, which is computed with the next
    /// [`Context::computed_again`].
    pub(super) fn provide<T: DynamicSection + Clone + Sync>(&mut self, value: Option<T>) {
        if let Some(sections) = &mut self.sections {
            let value = move || future::ready(Ok(value.clone()));
            let provided = sections.registry.provide_with(value);
            provided.expect("the standard registry has every default section");
        }
    }

    /// Returns the context's note, unless the stored one is up to date.
    pub(super) fn take_note(&mut self) -> Option<Note> {
        let is_noted = mem::replace(&mut self.is_noted, true);
        (!is_noted).then(|| Note::Context(Box::new(self.gathered.clone())))
    }

    /// Records that the stored note is up to date.
    pub(super) fn set_noted(&mut self) {
        self.is_noted = true;
    }

    /// Offers other tools after `turn` requests.
    pub(super) fn set_tools(
        &mut self,
        tools: Vec<SessionTool>,
        form: ToolForm,
        turn: u64,
    ) -> ToolUpdate {
        let update = self.gathered.update_tools(tools, form);
        self.follow_tools(update, turn);
        update
    }

    /// Writes the tool list again after `turn` requests. Returns false if it is
    /// unchanged.
    pub(super) fn sort_tools(&mut self, turn: u64) -> bool {
        let is_other = self.gathered.sort_tools();
        if is_other {
            self.follow_tools(ToolUpdate::Rewritten, turn);
        }
        is_other
    }

    /// Builds the prefix with an update's tools, and records a rewritten list.
    fn follow_tools(&mut self, update: ToolUpdate, turn: u64) {
        if update == ToolUpdate::Unchanged {
            return;
        }
        if update == ToolUpdate::Rewritten {
            self.gathered.tools_replaced = Some(turn);
        }
        self.composed.prefix = self.composed.frame.around(&self.gathered.sent_tools());
        self.hash_system();
        self.is_noted = false;
    }

    /// Computes uncached sections again. Returns the sections if any has
    /// changed; [`Context::renew`] applies them.
    pub(super) async fn computed_again(&self) -> Option<Resolved> {
        let (registry, before) = (self.registry()?, self.gathered.latest()?);
        registry.resolve_after(before).await
    }

    /// Replaces the sections. Returns new diagnostics, and true if the
    /// request's system prompt has changed.
    pub(super) fn renew(
        &mut self,
        config: &SessionConfig,
        now: Resolved,
    ) -> (Vec<Diagnostic>, bool) {
        let known = self.gathered.latest().map(Resolved::diagnostics).unwrap_or_default();
        let mut faults = now.diagnostics();
        faults.retain(|fault| !known.contains(fault));
        self.change().renewed = Some(now);
        // Faults in the rest of the prompt were reported when the session
        // opened.
        let composed = Composed::new(config, &self.gathered, &mut Vec::new());
        let before = mem::replace(&mut self.composed, composed);
        self.hash_system();
        let is_changed = before.prefix.system.bytes() != self.composed.prefix.system.bytes();
        (faults.iter().map(Diagnostic::from).collect(), is_changed)
    }

    /// Gathers the context again, for a conversation that restarts after a
    /// boundary.
    ///
    /// Dropping the future changes nothing.
    pub(super) async fn gather_again(
        &mut self,
        config: &SessionConfig,
        instructions: Instructions,
    ) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let registry = self.sections.as_ref().map(|it| &it.registry);
        let cleared = registry.map(|registry| Cleared::new(registry, self.gathered.latest()));
        let mut found = gather(config, registry, instructions, &mut diagnostics).await;
        mem::forget(cleared);
        self.disk.changed = Changes::default();
        self.disk.released = ReleasedSkills::default();
        let nested = mem::take(&mut found.nested);
        let gathered = self.change();
        gathered.restart(found);
        gathered.cache_breaker.clone_from(&config.cache_breaker);
        self.add_nested(&nested);
        self.composed = Composed::new(config, &self.gathered, &mut diagnostics);
        self.hash_system();
        diagnostics
    }

    /// Replaces the instruction files by those after the model read a file. `new` are loaded for it.
    pub(super) fn set_memory(&mut self, memory: Memory, new: &[MemoryFile]) {
        self.gathered.memory = Some(memory);
        self.add_nested(new);
    }

    /// Adds instruction files that loaded when the model read a file.
    fn add_nested(&mut self, files: &[MemoryFile]) {
        for file in files {
            let file = NestedMemory {
                path: file.path.to_string_lossy().into_owned(),
                content: text_in(file, self.gathered.layout),
                before: None,
                is_unused: false,
            };
            let nested = &mut self.gathered.nested;
            nested.retain(|known| known.path != file.path);
            nested.push(file);
        }
        self.is_noted &= files.is_empty();
    }

    /// Returns the files that a compaction recalls, and that were not delivered yet.
    pub(super) fn recalled_paths(&self) -> impl Iterator<Item = &Path> {
        self.gathered.recalled.iter().filter_map(recalled_path)
    }

    /// Removes what a compaction recalls of a file. After a new read of the whole file, the model
    /// would take the earlier text for the present one.
    pub(super) fn drop_recalled(&mut self, path: &Path) {
        let before = self.gathered.recalled.len();
        self.gathered.recalled.retain(|it| recalled_path(it) != Some(path));
        self.is_noted &= self.gathered.recalled.len() == before;
    }

    /// Removes nested files and recalled attachments that are not due, because
    /// they were delivered.
    pub(super) fn keep_due(&mut self, due: &[Attachment]) {
        let is_due = |file: &NestedMemory| {
            let mut due = due.iter();
            due.any(|it| matches!(it, Attachment::NestedMemory(due) if due == file))
        };
        let is_change =
            |it: &Attachment| matches!(it, Attachment::NestedMemory(due) if due.before.is_some());
        // A stored note must not deliver an older text again after a change.
        self.is_noted &= self.gathered.nested.is_empty() || !due.iter().any(is_change);
        self.gathered.nested.retain(is_due);
        self.gathered.recalled.retain(|it| due.contains(it));
    }
}

/// Returns the path of a recalled file.
fn recalled_path(attachment: &Attachment) -> Option<&Path> {
    match attachment {
        Attachment::File(File { path, .. })
        | Attachment::CompactFileReference(CompactFileReference { path }) => Some(Path::new(path)),
        _ => None,
    }
}

/// A registry whose sections are cleared. They are restored when this is
/// dropped.
struct Cleared<'a> {
    registry: &'a Registry,
    before: Option<&'a Resolved>,
}

impl<'a> Cleared<'a> {
    fn new(registry: &'a Registry, before: Option<&'a Resolved>) -> Self {
        registry.clear();
        Self { registry, before }
    }
}

impl Drop for Cleared<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // A stored section that the registry lacks was reported when the
            // session opened.
            let _ = self.registry.restore(before);
        }
    }
}
