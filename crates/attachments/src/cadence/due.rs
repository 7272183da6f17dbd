//! What is due, given the conversation's state and the present inputs.
//!
//! | class | due |
//! | --- | --- |
//! | date, sections, memory, tools, skills, agents, MCP servers | a difference to the announced state |
//! | plan mode, auto mode | by the turns of the user since the last reminder |
//! | task lists | ten responses after the last use or reminder |
//! | snipping | after a growth by 10,000 tokens, if there is a message to remove |
//! | large window | once, when a quarter of it is used |

use std::collections::{BTreeMap, BTreeSet};

use super::inputs::{CadenceInputs, ContextSections, Dates, PlanState, Window};
use super::state::{CadenceState, ListState, REMOVED};
use crate::announcement::digest;
use crate::attachment::{Attachment, Kind};
use crate::auto_mode::{AutoMode, AutoModeExit};
use crate::context_window::{CompactionReminder, ContextEfficiency};
use crate::date_change::DateChange;
use crate::deltas::{
    AgentListing, AgentsDelta, ContextSection, McpInstructionsDelta, McpServerInstructions,
    SectionsDelta, ToolsDelta,
};
use crate::memory::NestedMemory;
use crate::plan_mode::{PlanMode, PlanModeExit, PlanModeReentry};
use crate::skills::{Skill, SkillListing};
use crate::tasks::{TaskReminder, TodoReminder};

/// How many responses to wait between two reminders of a task list.
const RESPONSES_BETWEEN_REMINDERS: u64 = 10;

/// How many tokens the context grows before snipping is suggested.
const GROWTH_TOKENS: u64 = 10_000;

/// From which context window on, less the response limit, to inform the model
/// that the context suffices.
const LARGE_WINDOW_TOKENS: u64 = 1_000_000;

impl CadenceState {
    /// Returns the attachments that are due, in the order in which to append
    /// them.
    ///
    /// The state does not change: an attachment counts as sent once its entry
    /// is in the conversation and you pass it to
    /// [`extend`](CadenceState::extend).
    #[must_use]
    pub fn due(&self, inputs: &CadenceInputs) -> Vec<Attachment> {
        let mut due = self.delivered.undelivered(&inputs.recalled);
        due.extend(inputs.dates.as_ref().and_then(|it| self.date_due(it)));
        due.extend(inputs.sections.as_ref().and_then(|it| self.sections_due(it)));
        if let Some(plan) = &inputs.plan {
            self.plan_due(plan, &mut due);
        }
        due.extend(inputs.auto_mode.and_then(|is_on| self.auto_due(is_on)));
        due.extend(self.memory_due(&inputs.nested_memory));
        due.extend(inputs.skills.as_deref().and_then(|it| self.skills_due(it)));
        due.extend(inputs.tools.as_deref().and_then(|it| self.tools_due(it)));
        due.extend(inputs.agents.as_deref().and_then(|it| self.agents_due(it)));
        let servers = inputs.mcp_instructions.as_deref();
        due.extend(servers.and_then(|it| self.mcp_instructions_due(it)));
        if let Some(initial) = &inputs.todos
            && self.list_is_due(&self.todos)
        {
            let todos = self.written_todos.list().unwrap_or(initial).to_vec();
            due.push(Attachment::TodoReminder(TodoReminder { todos }));
        }
        if let Some(tasks) = &inputs.tasks
            && self.list_is_due(&self.tasks)
        {
            let tasks = tasks.clone();
            due.push(Attachment::TaskReminder(TaskReminder { tasks }));
        }
        let can_snip = inputs.snip_tool && self.ids.is_any_older();
        if can_snip && self.tokens.has_grown_by(GROWTH_TOKENS) {
            due.push(Attachment::ContextEfficiency(ContextEfficiency {}));
        }
        let window = inputs.automatic_compaction;
        if window.is_some_and(|it| self.large_window_is_due(it)) {
            due.push(Attachment::CompactionReminder(CompactionReminder {}));
        }
        due.extend(self.delivered.undelivered(&inputs.current));
        due
    }

    /// Returns the date, if the model knows another one.
    fn date_due(&self, dates: &Dates) -> Option<Attachment> {
        let sent = self.date.as_ref().unwrap_or(&dates.session);
        let date = dates.today.clone();
        (*sent != date).then_some(Attachment::DateChange(DateChange { date }))
    }

    /// Compares the sections with the first entries and with later
    /// announcements. A section that was announced as removed and is back
    /// counts as changed.
    fn sections_due(&self, sections: &ContextSections) -> Option<Attachment> {
        let first = sections.first.iter().map(ContextSection::named_text);
        let mut sent: BTreeMap<_, _> = first.map(|(name, text)| (name, digest(text))).collect();
        for (name, digest) in self.announced(Kind::SectionsDelta).into_iter().flatten() {
            sent.insert(name, digest.clone());
        }
        let now = || first_of_each(&sections.now, |section| &section.name);
        let changed: Vec<ContextSection> = now()
            .filter(|section| sent.get(&*section.name) != Some(&digest(&section.text)))
            .cloned()
            .collect();
        let removed: Vec<String> = sent
            .iter()
            .filter(|(_, digest)| *digest != REMOVED)
            .filter(|(name, _)| now().all(|section| section.name != **name))
            .map(|(name, _)| (*name).to_owned())
            .collect();
        let is_due = !changed.is_empty() || !removed.is_empty();
        is_due.then_some(Attachment::SectionsDelta(SectionsDelta { changed, removed }))
    }

    /// Adds the exit, or the reentry (if a plan exists) and the reminder, each
    /// if due.
    fn plan_due(&self, plan: &PlanState, due: &mut Vec<Attachment>) {
        if !plan.is_on {
            if self.plan.exit_is_due() {
                let plan_file = plan.file.clone().filter(|_| plan.exists);
                due.push(Attachment::PlanModeExit(PlanModeExit { plan_file }));
            }
            return;
        }
        if let Some(plan_file) = plan.file.clone()
            && plan.exists
            && self.plan.is_reentered()
        {
            due.push(Attachment::PlanModeReentry(PlanModeReentry { plan_file }));
        }
        if let Some(detail) = self.plan.due() {
            due.push(Attachment::PlanMode(PlanMode {
                detail,
                plan_file: plan.file.clone(),
                exists: plan.exists,
            }));
        }
    }

    fn auto_due(&self, is_on: bool) -> Option<Attachment> {
        if !is_on {
            let exit = Attachment::AutoModeExit(AutoModeExit {});
            return self.auto.exit_is_due().then_some(exit);
        }
        let detail = self.auto.due()?;
        Some(Attachment::AutoMode(AutoMode { detail }))
    }

    /// Returns the files whose text was not announced, each path once.
    fn memory_due(&self, files: &[NestedMemory]) -> Vec<Attachment> {
        let announced = self.announced(Kind::NestedMemory);
        let is_new = |file: &&NestedMemory| {
            let announced = announced.and_then(|announced| announced.get(&file.path));
            let at_start = || file.before.as_deref().map(digest);
            announced.cloned().or_else(at_start) != Some(digest(&file.content))
        };
        let new = first_of_each(files, |file| &file.path).filter(is_new);
        new.cloned().map(Attachment::NestedMemory).collect()
    }

    /// Returns the skills with a name or a description that was not announced, in
    /// the order to list them, and those that are gone. Earlier releases stored no
    /// descriptions.
    fn skills_due(&self, skills: &[Skill]) -> Option<Attachment> {
        let announced = self.announced(Kind::SkillListing);
        let is_new = |skill: &&Skill| {
            let (name, text) = skill.named_text();
            let known = announced.and_then(|announced| announced.get(name));
            known.is_none_or(|known| !known.is_empty() && *known != digest(text))
        };
        let new: Vec<Skill> =
            first_of_each(skills, |skill| &skill.name).filter(is_new).cloned().collect();
        let is_gone = |name: &&String| skills.iter().all(|skill| skill.name != **name);
        let names = announced.into_iter().flat_map(|announced| announced.keys());
        let removed: Vec<String> = names.filter(is_gone).cloned().collect();
        let is_due = !new.is_empty() || !removed.is_empty();
        is_due.then(|| Attachment::SkillListing(SkillListing { removed, ..SkillListing::new(new) }))
    }

    /// Compares names only: the definitions are in the request.
    fn tools_due(&self, tools: &[String]) -> Option<Attachment> {
        let (added, removed) =
            self.changes(Kind::ToolsDelta, tools, |name| (name, String::new()))?;
        Some(Attachment::ToolsDelta(ToolsDelta { added, removed }))
    }

    /// Compares names and descriptions.
    fn agents_due(&self, agents: &[AgentListing]) -> Option<Attachment> {
        let digested = |it| digested(AgentListing::named_text(it));
        let (added, removed) = self.changes(Kind::AgentsDelta, agents, digested)?;
        Some(Attachment::AgentsDelta(AgentsDelta { added, removed }))
    }

    /// Compares names and texts.
    fn mcp_instructions_due(&self, servers: &[McpServerInstructions]) -> Option<Attachment> {
        let digested = |it| digested(McpServerInstructions::named_text(it));
        let (added, removed) = self.changes(Kind::McpInstructionsDelta, servers, digested)?;
        Some(Attachment::McpInstructionsDelta(McpInstructionsDelta { added, removed }))
    }

    /// Returns what was added or changed and what was removed since a kind was
    /// last announced. Both are sorted by name, so the order in which things
    /// became available does not matter.
    fn changes<'a, T: Clone>(
        &self,
        kind: Kind,
        now: &'a [T],
        digested: impl Fn(&'a T) -> (&'a str, String),
    ) -> Option<(Vec<T>, Vec<String>)> {
        let now = now.iter().map(|it| {
            let (name, digest) = digested(it);
            (name, (digest, it))
        });
        let now: BTreeMap<&str, (String, &T)> = now.collect();
        let none = BTreeMap::new();
        let announced = self.announced(kind).unwrap_or(&none);
        let is_new =
            |(name, (digest, _)): &(&&str, &(String, &T))| announced.get(**name) != Some(digest);
        let added: Vec<T> = now.iter().filter(is_new).map(|(_, (_, it))| (*it).clone()).collect();
        let is_gone = |name: &&String| !now.contains_key(name.as_str());
        let removed: Vec<String> = announced.keys().filter(is_gone).cloned().collect();
        (!added.is_empty() || !removed.is_empty()).then_some((added, removed))
    }

    /// Returns true if for [`RESPONSES_BETWEEN_REMINDERS`] the list was neither
    /// written nor reminded of.
    fn list_is_due(&self, list: &ListState) -> bool {
        list.responses_since(self.responses) >= RESPONSES_BETWEEN_REMINDERS
    }

    /// Returns true once, when the prefix and the conversation fill a quarter
    /// of a large window.
    ///
    /// If it is false for the most that a prefix can have, its tokens need not
    /// be estimated.
    #[must_use]
    pub fn large_window_is_due(&self, window: Window) -> bool {
        let effective = window.tokens.saturating_sub(window.max_output_tokens);
        let quarter = effective.div_ceil(4);
        !self.large_window_announced
            && window.tokens >= LARGE_WINDOW_TOKENS
            && self.tokens.has(quarter.saturating_sub(window.prefix_tokens))
    }
}

fn digested<'a>((name, text): (&'a str, &str)) -> (&'a str, String) {
    (name, digest(text))
}

/// Skips later items with the same name.
fn first_of_each<'a, T>(
    all: &'a [T],
    name: impl Fn(&'a T) -> &'a str,
) -> impl Iterator<Item = &'a T> {
    let mut seen = BTreeSet::new();
    all.iter().filter(move |it| seen.insert(name(it)))
}
