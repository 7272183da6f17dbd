use std::collections::{BTreeMap, BTreeSet};

use super::circumstances::{Circumstances, ContextSections, Dates, PlanState, Window};
use super::state::{CadenceState, NOT_THERE};
use crate::announced::digest;
use crate::attachment::Attachment;
use crate::auto_mode::AutoMode;
use crate::date_change::DateChange;
use crate::deltas::{
    AgentListing, AgentsDelta, ContextSection, McpInstructions, McpInstructionsDelta,
    SectionsDelta, ToolsDelta,
};
use crate::memory::NestedMemory;
use crate::plan_mode::{PlanMode, PlanModeExit, PlanModeReentry};
use crate::skills::{Skill, SkillListing};
use crate::tasks::{TaskReminder, TodoReminder};

/// So many answers go by before a list is brought to mind.
const ANSWERS_BEFORE_LIST: u64 = 10;

/// So many tokens of growth are worth a word about snipping.
const GROWTH: u64 = 10_000;

/// From so many tokens on, less the largest answer, a window is large enough
/// for a model to wonder how it ends.
const LARGE_WINDOW: u64 = 1_000_000;

impl CadenceState {
    /// What is due, in the order in which it is to be appended. Asking changes
    /// nothing: an attachment counts once its entry is in the conversation,
    /// and was taken up from there.
    #[must_use]
    pub fn due(&self, now: &Circumstances) -> Vec<Attachment> {
        let mut due = self.told.untold(&now.recalled);
        due.extend(now.dates.as_ref().and_then(|dates| self.date_due(dates)));
        due.extend(now.sections.as_ref().and_then(|it| self.sections_due(it)));
        if let Some(plan) = &now.plan {
            self.plan_due(plan, &mut due);
        }
        due.extend(now.auto_mode.and_then(|it| self.auto_due(it)));
        due.extend(self.memory_due(&now.nested_memory));
        due.extend(self.skills_due(&now.skills));
        due.extend(now.tools.as_deref().and_then(|it| self.tools_due(it)));
        due.extend(now.agents.as_deref().and_then(|it| self.agents_due(it)));
        let servers = now.mcp_instructions.as_deref();
        due.extend(servers.and_then(|it| self.mcp_instructions_due(it)));
        if let Some(given) = &now.todos
            && self.todos.answers_since(self.answers) >= ANSWERS_BEFORE_LIST
        {
            let todos = self.written_todos.list().unwrap_or(given).to_vec();
            due.push(Attachment::TodoReminder(TodoReminder { todos }));
        }
        if let Some(tasks) = &now.tasks
            && self.tasks.answers_since(self.answers) >= ANSWERS_BEFORE_LIST
        {
            let tasks = tasks.clone();
            due.push(Attachment::TaskReminder(TaskReminder { tasks }));
        }
        if now.snip_tool && self.growth >= GROWTH {
            due.push(Attachment::ContextEfficiency);
        }
        if now
            .automatic_compaction
            .is_some_and(|it| self.compaction_is_due(it))
        {
            due.push(Attachment::CompactionReminder);
        }
        due.extend(self.told.untold(&now.current));
        due
    }

    fn date_due(&self, dates: &Dates) -> Option<Attachment> {
        let told = self.date.as_ref().unwrap_or(&dates.session);
        let date = dates.today.clone();
        (*told != date).then_some(Attachment::DateChange(DateChange { date }))
    }

    fn sections_due(&self, sections: &ContextSections) -> Option<Attachment> {
        let first = sections.first.iter().map(ContextSection::announced);
        let mut told: BTreeMap<_, _> = first.map(|(name, text)| (name, digest(text))).collect();
        for (name, digest) in self.announced("sections_delta").into_iter().flatten() {
            told.insert(name, digest.clone());
        }
        let now = || first_of_each(&sections.now, |section| &section.name);
        let changed: Vec<ContextSection> = now()
            .filter(|section| told.get(&*section.name) != Some(&digest(&section.text)))
            .cloned()
            .collect();
        let removed: Vec<String> = told
            .iter()
            .filter(|(_, digest)| *digest != NOT_THERE)
            .filter(|(name, _)| now().all(|section| section.name != **name))
            .map(|(name, _)| (*name).to_owned())
            .collect();
        let is_due = !changed.is_empty() || !removed.is_empty();
        is_due.then_some(Attachment::SectionsDelta(SectionsDelta {
            changed,
            removed,
        }))
    }

    fn plan_due(&self, plan: &PlanState, due: &mut Vec<Attachment>) {
        if !plan.is_on {
            if self.plan.end_is_due() {
                let plan_file = plan.exists.then(|| plan.file.clone());
                due.push(Attachment::PlanModeExit(PlanModeExit { plan_file }));
            }
            return;
        }
        let plan_file = || plan.file.clone();
        if plan.exists && self.plan.is_reentered() {
            let plan_file = plan_file();
            due.push(Attachment::PlanModeReentry(PlanModeReentry { plan_file }));
        }
        if let Some(detail) = self.plan.due() {
            due.push(Attachment::PlanMode(PlanMode {
                detail,
                plan_file: plan_file(),
                exists: plan.exists,
            }));
        }
    }

    fn auto_due(&self, is_on: bool) -> Option<Attachment> {
        if !is_on {
            return self.auto.end_is_due().then_some(Attachment::AutoModeExit);
        }
        let detail = self.auto.due()?;
        Some(Attachment::AutoMode(AutoMode { detail }))
    }

    fn memory_due(&self, files: &[NestedMemory]) -> Vec<Attachment> {
        let told = self.announced("nested_memory");
        let is_new = |file: &&NestedMemory| {
            let told = told.and_then(|told| told.get(&file.path));
            told != Some(&digest(&file.content))
        };
        let new = first_of_each(files, |file| &file.path).filter(is_new);
        new.cloned().map(Attachment::NestedMemory).collect()
    }

    fn skills_due(&self, skills: &[Skill]) -> Option<Attachment> {
        let told = self.announced("skill_listing");
        let is_new = |skill: &&Skill| told.is_none_or(|told| !told.contains_key(&skill.name));
        let new = first_of_each(skills, |skill| &skill.name).filter(is_new);
        let new: Vec<Skill> = new.cloned().collect();
        (!new.is_empty()).then(|| Attachment::SkillListing(SkillListing::new(new)))
    }

    fn tools_due(&self, tools: &[String]) -> Option<Attachment> {
        let now = tools
            .iter()
            .map(|name| (name.as_str(), (String::new(), name)));
        let (added, removed) = self.changes("tools_delta", now.collect())?;
        Some(Attachment::ToolsDelta(ToolsDelta { added, removed }))
    }

    fn agents_due(&self, agents: &[AgentListing]) -> Option<Attachment> {
        let now = agents.iter().map(|agent| {
            let (name, text) = agent.announced();
            (name, (digest(text), agent))
        });
        let (added, removed) = self.changes("agents_delta", now.collect())?;
        Some(Attachment::AgentsDelta(AgentsDelta { added, removed }))
    }

    fn mcp_instructions_due(&self, servers: &[McpInstructions]) -> Option<Attachment> {
        let now = servers.iter().map(|server| {
            let (name, text) = server.announced();
            (name, (digest(text), server))
        });
        let (added, removed) = self.changes("mcp_instructions_delta", now.collect())?;
        let delta = McpInstructionsDelta { added, removed };
        Some(Attachment::McpInstructionsDelta(delta))
    }

    /// What differs from what was announced, by name, so that the order in
    /// which things came does not show.
    fn changes<T: Clone>(
        &self,
        kind: &str,
        now: BTreeMap<&str, (String, &T)>,
    ) -> Option<(Vec<T>, Vec<String>)> {
        let nothing = BTreeMap::new();
        let told = self.announced(kind).unwrap_or(&nothing);
        let is_new =
            |(name, (digest, _)): &(&&str, &(String, &T))| told.get(**name) != Some(digest);
        let added: Vec<T> = now
            .iter()
            .filter(is_new)
            .map(|(_, (_, it))| (*it).clone())
            .collect();
        let is_gone = |name: &&String| !now.contains_key(name.as_str());
        let removed: Vec<String> = told.keys().filter(is_gone).cloned().collect();
        (!added.is_empty() || !removed.is_empty()).then_some((added, removed))
    }

    fn compaction_is_due(&self, window: Window) -> bool {
        let effective = window.tokens.saturating_sub(window.largest_answer);
        let used = window.before_conversation.saturating_add(self.context);
        !self.told_of_compaction && effective >= LARGE_WINDOW && used >= effective.div_ceil(4)
    }
}

/// The things of a list, but only the first of each name.
fn first_of_each<'a, T>(
    all: &'a [T],
    name: impl Fn(&'a T) -> &'a str,
) -> impl Iterator<Item = &'a T> {
    let mut seen = BTreeSet::new();
    all.iter().filter(move |it| seen.insert(name(it)))
}
