use std::collections::BTreeMap;

use aside_messages::conversation::{Boundary, Entry, EntryId, EntryKind, Origin, Part, Visibility};
use aside_messages::estimate_tokens;
use aside_messages::wire::Role;

use super::mode::ModeState;
use super::told::Told;
use super::weight::weight;
use super::written::{TODO_TOOL, Written};
use crate::announced::Announced;

/// In the place of a digest: the model was told that it went.
pub(super) const NOT_THERE: &str = "";

/// The tools that write the list of tasks.
const TASK_TOOLS: &[&str] = &["TaskCreate", "TaskUpdate"];

/// What a conversation says of what the model was told and did.
///
/// A fold over its entries: the state after all of them is the same whether
/// they came at once or one by one. Adding entries costs work in proportion
/// to these entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CadenceState {
    /// Who spoke last.
    speaker: Speaker,
    /// How often the model answered.
    pub(super) answers: u64,
    pub(super) todos: ListState,
    pub(super) written_todos: Written,
    pub(super) tasks: ListState,
    pub(super) plan: ModeState,
    pub(super) auto: ModeState,
    /// Estimated tokens since the last snip, boundary or word about it.
    pub(super) growth: u64,
    /// Estimated tokens of what is sent of the conversation.
    pub(super) context: u64,
    /// The estimate of each entry that is sent, for when it is snipped.
    weights: BTreeMap<EntryId, u64>,
    pub(super) told_of_compaction: bool,
    /// The date told last, since the last boundary.
    pub(super) date: Option<String>,
    /// What was announced since the last boundary: the kind of attachment,
    /// the name and the digest.
    announced: BTreeMap<String, BTreeMap<String, String>>,
    /// What was told since the last boundary.
    pub(super) told: Told,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Speaker {
    /// The harness, or nobody yet.
    #[default]
    Harness,
    /// The human, perhaps with words of the harness behind theirs.
    Human,
    Model,
}

/// When a list was last on the model's mind, counted in answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ListState {
    written: u64,
    reminded: u64,
}

impl ListState {
    /// Answers since the list was written or brought to mind, whichever came
    /// later.
    pub(super) fn answers_since(&self, answers: u64) -> u64 {
        answers - self.written.max(self.reminded)
    }
}

impl CadenceState {
    /// The state before anything was said.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes up entries that follow those taken up before.
    pub fn extend(&mut self, entries: &[Entry]) {
        for entry in entries {
            self.take_up(entry);
        }
    }

    /// What was announced by attachments of a kind since the last boundary.
    pub(super) fn announced(&self, kind: &str) -> Option<&BTreeMap<String, String>> {
        self.announced.get(kind)
    }

    fn take_up(&mut self, entry: &Entry) {
        self.written_todos.take_up(entry);
        match &entry.kind {
            // The model does not see it.
            EntryKind::Message { .. } if entry.visibility == Visibility::DisplayOnly => {}
            EntryKind::Message { role } => self.message(entry, role),
            EntryKind::Boundary(Boundary::Clear) => *self = Self::default(),
            EntryKind::Boundary(Boundary::Compact { summary }) => self.compact(summary),
            EntryKind::Snip { ids } => self.snip(ids),
            EntryKind::Aborted => self.speaker = Speaker::Harness,
            // What is not known here is no reason to say anything.
            _ => {}
        }
    }

    fn message(&mut self, entry: &Entry, role: &Role) {
        let tokens = weight(entry);
        self.context = self.context.saturating_add(tokens);
        // What the model is told before the human's first word has not grown.
        if !matches!(entry.origin, Origin::Context { .. }) {
            self.growth = self.growth.saturating_add(tokens);
        }
        self.weights.insert(entry.id, tokens);
        match role {
            Role::Assistant => self.answer(entry),
            Role::User => self.user(entry),
            _ => {}
        }
    }

    fn answer(&mut self, entry: &Entry) {
        if self.speaker != Speaker::Model {
            self.answers += 1;
        }
        self.speaker = Speaker::Model;
        for part in &entry.parts {
            let Part::ToolUse(call) = part else { continue };
            if *call.name == *TODO_TOOL {
                self.todos.written = self.answers;
            }
            if TASK_TOOLS.contains(&&*call.name) {
                self.tasks.written = self.answers;
            }
        }
    }

    fn user(&mut self, entry: &Entry) {
        if self.speaker == Speaker::Model {
            self.speaker = Speaker::Harness;
        }
        if is_human_speech(entry) && self.speaker != Speaker::Human {
            self.speaker = Speaker::Human;
            self.plan.human_turn();
            self.auto.human_turn();
        }
        self.told.take_up(entry);
        if let Origin::Attachment { kind, .. } = &entry.origin {
            self.attachment(kind, &entry.origin);
        }
    }

    fn attachment(&mut self, kind: &str, origin: &Origin) {
        match kind {
            "todo_reminder" => self.todos.reminded = self.answers,
            "task_reminder" => self.tasks.reminded = self.answers,
            "plan_mode" => self.plan.tell(),
            "plan_mode_exit" => self.plan.tell_end(),
            "auto_mode" => self.auto.tell(),
            "auto_mode_exit" => self.auto.tell_end(),
            "context_efficiency" => self.growth = 0,
            "compaction_reminder" => self.told_of_compaction = true,
            "date_change" => self.date = Announced::of(origin).names.into_keys().next(),
            "sections_delta" => {
                let Announced { names, gone } = Announced::of(origin);
                let known = self.announced.entry(kind.to_owned()).or_default();
                known.extend(names);
                // It counts no longer, whatever the first entries say.
                known.extend(gone.into_iter().map(|name| (name, NOT_THERE.to_owned())));
            }
            "nested_memory"
            | "skill_listing"
            | "tools_delta"
            | "agents_delta"
            | "mcp_instructions_delta" => {
                let Announced { names, gone } = Announced::of(origin);
                let known = self.announced.entry(kind.to_owned()).or_default();
                for name in &gone {
                    known.remove(name);
                }
                known.extend(names);
            }
            _ => {}
        }
    }

    fn compact(&mut self, summary: &str) {
        let tokens = estimate_tokens(summary).tokens();
        self.speaker = Speaker::Harness;
        self.plan.compact();
        self.auto.compact();
        self.growth = 0;
        self.context = tokens;
        self.weights.clear();
        self.date = None;
        self.announced.clear();
        self.told = Told::default();
    }

    fn snip(&mut self, ids: &[EntryId]) {
        self.growth = 0;
        for id in ids {
            let tokens = self.weights.remove(id).unwrap_or_default();
            self.context = self.context.saturating_sub(tokens);
        }
    }
}

/// Whether the human begins something here: more than results of tools, which
/// come in their name, and no message that was queued while the model worked.
fn is_human_speech(entry: &Entry) -> bool {
    let is_speech = |part: &Part| !matches!(part, Part::ToolResult(_) | Part::Reminder { .. });
    let is_queued = matches!(entry.parts.first(), Some(Part::Reminder { .. }));
    entry.origin == Origin::Human && !is_queued && entry.parts.iter().any(is_speech)
}
