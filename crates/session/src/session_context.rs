use std::path::Path;

use aside_attachments::{Attachment, NestedMemory};
use aside_cache_split::{Layout, TtlDecision};
use aside_claudemd::{Memory, private_instructions, shared_instructions};
use aside_git_context::GitSnapshot;
use aside_messages::Layer;
use aside_messages::conversation::{Conversation, Delivery, EntryDraft, Origin};
use aside_prompt_sections::{
    ContextEntry, Effective, OutsideText, Resolved, SESSION_SECTIONS, SessionDate, StaticBoundary,
    SystemPrompt, session_context, simple_prompt,
};
use serde::{Deserialize, Serialize};

use crate::config::{Persistence, SessionConfig};
use crate::delivery_form::{delivery_of, recorded};
use crate::gather::Found;
use crate::message_form::MessageForm;
use crate::prompt_options::PromptOptions;
use crate::state::{Plan, SessionState};
use crate::tools::SessionTool;

/// A session's gathered context, with later changes: enough to resume it in
/// another process.
///
/// It changes when a conversation is compacted or cleared, when sections and
/// tools change, and when the model reads files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionContext {
    /// The system prompt's sections when the conversation started; `None` in
    /// simple mode.
    pub sections: Option<Resolved>,
    /// The latest sections, if one that is computed for every request has
    /// another text than in `sections`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewed: Option<Resolved>,
    /// The instruction files; `None` if the working directory does not exist.
    pub memory: Option<Memory>,
    /// The repository's state; `None` outside one.
    pub git: Option<GitSnapshot>,
    /// Texts to replace or extend the default prompt; `None` if an older
    /// version wrote the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<PromptOptions>,
    /// How many requests had been sent when the prompt last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_changed: Option<u64>,
    /// The hash of the last request's system prompt; `None` if an older version
    /// wrote the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_hash: Option<String>,
    /// The client's name, sent as the first system block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<String>,
    /// How messages are written; `None` if an older version wrote the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_form: Option<MessageForm>,
    /// How many requests had been sent when the form of messages last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form_changed: Option<u64>,
    /// The value of `cacheBreaker`, if there is one.
    #[serde(default)]
    pub cache_breaker: Option<String>,
    /// How many requests had been sent when the cache breaker last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaker_changed: Option<u64>,
    /// The day when the session began.
    pub date: SessionDate,
    /// The layout of its requests.
    pub layout: Layout,
    /// How long cache entries live, decided when the session opened. Later
    /// changes of the inputs have no effect.
    pub ttl: TtlDecision,
    /// How the session delivered when it opened; `None` if an older version
    /// wrote the record. The conversation records each change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
    /// Whether the API refused a beta feature, so that the session goes on
    /// without any.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub betas_refused: bool,
    /// The tools, in the order they are sent.
    pub tools: Vec<SessionTool>,
    /// Names of tools that were appended to the list. They are sent with
    /// `defer_loading`, and a system message adds them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub appended_tools: Vec<String>,
    /// Names of tools in the list that the model may no longer call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed_tools: Vec<String>,
    /// The tools from the next user turn on, if a definition differs from the
    /// one in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_tools: Option<Vec<SessionTool>>,
    /// Names of the tools since the start or the last boundary. They are not
    /// announced to the model.
    #[serde(default)]
    pub first_tools: Vec<String>,
    /// Whether tools were added or removed.
    #[serde(default)]
    pub tools_changed: bool,
    /// How many requests had been sent when the tools were last replaced. If
    /// none was sent since, a resumed session records the prefix reset.
    #[serde(default)]
    pub tools_replaced: Option<u64>,
    /// How often the conversation has restarted, by a compaction or a clear.
    #[serde(default)]
    pub restarts: u64,
    /// How many requests had been sent at the last clear.
    #[serde(default)]
    pub cleared: Option<u64>,
    /// Plan mode, as a caller last set it. A resumed session whose state names none has
    /// this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// The same for auto mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_mode: Option<bool>,
    /// Whether the announced agents are from files, and none is from a state: if the last file is
    /// gone, so are they.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub file_agents: bool,
    /// The same for skills.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub file_skills: bool,
    /// Instruction files that loaded when the model read a file in their
    /// directory, and that it may not know yet.
    #[serde(default)]
    pub nested: Vec<NestedMemory>,
    /// Attachments that the last compaction removed and the next request
    /// delivers again.
    #[serde(default)]
    pub recalled: Vec<Attachment>,
}

fn names(tools: &[SessionTool]) -> Vec<String> {
    tools.iter().map(|tool| tool.tool.name.clone()).collect()
}

impl SessionContext {
    /// Creates a new session's context.
    pub(crate) fn new(config: &SessionConfig, tools: Vec<SessionTool>, found: Found) -> Self {
        Self {
            sections: found.sections,
            renewed: None,
            memory: found.memory,
            git: found.git,
            prompt: Some(config.prompt.clone()),
            prompt_changed: None,
            system_hash: None,
            attribution: config.attribution.clone(),
            message_form: Some(MessageForm::of(&config.lower)),
            form_changed: None,
            cache_breaker: config.cache_breaker.clone(),
            breaker_changed: None,
            date: config.date,
            layout: config.layout,
            ttl: config.cache.ttl(config.layout),
            delivery: Some(delivery_of(config, config.layout)),
            betas_refused: false,
            first_tools: names(&tools),
            tools_changed: false,
            tools_replaced: None,
            tools,
            appended_tools: Vec::new(),
            removed_tools: Vec::new(),
            next_tools: None,
            restarts: 0,
            cleared: None,
            nested: Vec::new(),
            plan: config.state.plan.clone(),
            auto_mode: config.state.auto_mode,
            file_agents: false,
            file_skills: false,
            recalled: Vec::new(),
        }
    }

    /// Sets the modes that a state does not name to the recorded ones, so that a resumed
    /// session is in plan mode until a state ends it.
    pub fn keep_modes(&self, state: &mut SessionState) {
        if state.plan.is_none() {
            state.plan.clone_from(&self.plan);
        }
        state.auto_mode = state.auto_mode.or(self.auto_mode);
    }

    /// Records the modes of a state. Returns true if they are the recorded ones.
    pub(crate) fn record_modes(&mut self, state: &SessionState) -> bool {
        let is_same = self.plan == state.plan && self.auto_mode == state.auto_mode;
        self.plan.clone_from(&state.plan);
        self.auto_mode = state.auto_mode;
        is_same
    }

    /// Replaces the gathered values after a boundary. Date, layout and
    /// lifetimes stay.
    pub(crate) fn restart(&mut self, found: Found) {
        self.sections = found.sections;
        self.renewed = None;
        self.memory = found.memory;
        self.git = found.git;
        self.sort_tools();
        self.first_tools = names(&self.tools);
        self.tools_changed = false;
        self.restarts += 1;
        self.nested.clear();
        self.recalled.clear();
    }

    /// Returns true if messages have ids, so that the model can remove them.
    #[must_use]
    pub fn has_ids(&self) -> bool {
        self.message_form.is_some_and(|form| form.tag_ids)
    }

    /// Returns how the session last delivered: its model, platform and form;
    /// `None` if an older version wrote the record.
    #[must_use]
    pub fn last_delivery<'a>(&'a self, conversation: &'a Conversation) -> Option<&'a Delivery> {
        recorded(conversation).or(self.delivery.as_ref())
    }

    /// In coordinator mode, returns the name of the tool that starts a worker.
    #[must_use]
    pub fn worker_tool(&self) -> Option<&str> {
        let coordinator = self.prompt.as_ref()?.coordinator.as_ref()?;
        Some(&coordinator.worker_tool)
    }

    /// Returns the working directory that the session began in; `None` if it did
    /// not exist.
    #[must_use]
    pub fn cwd(&self) -> Option<&Path> {
        Some(self.memory.as_ref()?.cwd())
    }

    /// Returns the latest sections; `None` in simple mode.
    pub(crate) fn latest(&self) -> Option<&Resolved> {
        self.renewed.as_ref().or(self.sections.as_ref())
    }

    /// Returns the default system prompt with these sections, or simple mode's
    /// without any.
    pub(crate) fn default_prompt(
        &self,
        config: &SessionConfig,
        sections: Option<&Resolved>,
    ) -> SystemPrompt {
        let Some(sections) = sections else {
            let cwd = OutsideText::new(config.cwd.to_string_lossy());
            return simple_prompt(config.product, &cwd, self.date);
        };
        let boundary = match self.layout {
            Layout::Layered => StaticBoundary::Marked,
            Layout::Classic if config.cache.global_scope().is_usable() => StaticBoundary::Marked,
            Layout::Classic => StaticBoundary::Absent,
        };
        sections.prompt(boundary)
    }

    /// Returns the prompt with the context that the classic layout appends to
    /// it. Nothing is appended to simple mode's own prompt.
    pub(crate) fn with_context(&self, effective: &Effective) -> SystemPrompt {
        let prompt = effective.prompt.clone();
        match self.layout {
            Layout::Classic if !self.is_simple(effective) => {
                prompt.with_system_context(&self.system_context(None))
            }
            _ => prompt,
        }
    }

    /// Returns true for simple mode's own prompt.
    fn is_simple(&self, effective: &Effective) -> bool {
        self.sections.is_none() && effective.rule.has_default()
    }

    fn system_context(&self, date: Option<ContextEntry>) -> Vec<ContextEntry> {
        let git = self.git.as_ref().map(|git| ContextEntry::git_status(git.render()));
        let breaker = self.cache_breaker.as_deref().map(ContextEntry::cache_breaker);
        git.into_iter().chain(date).chain(breaker).collect()
    }

    /// Returns the entries before the first user message, with sections from
    /// the prompt. Without persistence they have no date.
    pub(crate) fn first_entries(
        &self,
        persistence: Persistence,
        effective: &Effective,
    ) -> Vec<EntryDraft> {
        // Simple mode's own prompt has the date.
        let is_dated = persistence != Persistence::Nothing && !self.is_simple(effective);
        let reminder = |layer, body: String| EntryDraft::reminder(Origin::Context { layer }, body);
        let memory = self.memory.as_ref();
        match self.layout {
            Layout::Classic if !is_dated => {
                let files =
                    memory.and_then(|it| aside_claudemd::instructions(it, SESSION_SECTIONS));
                let context = || session_context(&self.system_context(None), &effective.prompt);
                let context = self.is_simple(effective).then(context).flatten();
                let bodies = [(Layer::Project, files), (Layer::Session, context)].into_iter();
                bodies.filter_map(|(layer, body)| Some(reminder(layer, body?))).collect()
            }
            Layout::Layered => {
                let date = is_dated.then(|| ContextEntry::current_date(self.date));
                let bodies = [
                    (
                        Layer::Project,
                        memory.and_then(|it| shared_instructions(it, SESSION_SECTIONS)),
                    ),
                    (Layer::User, memory.and_then(|it| private_instructions(it, SESSION_SECTIONS))),
                    (
                        Layer::Session,
                        session_context(&self.system_context(date), &effective.prompt),
                    ),
                ];
                let entries = bodies.into_iter();
                entries.filter_map(|(layer, body)| Some(reminder(layer, body?))).collect()
            }
            Layout::Classic => {
                let date = self.date.to_string();
                let body = match &self.memory {
                    Some(memory) => aside_claudemd::user_context(memory, &date),
                    None => ContextEntry::current_date(self.date).text.raw().to_owned(),
                };
                vec![reminder(Layer::Session, body)]
            }
        }
    }
}
