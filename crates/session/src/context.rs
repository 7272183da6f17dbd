use aside_attachments::{Attachment, NestedMemory};
use aside_cache_split::{Layout, TtlDecision};
use aside_claudemd::Memory;
use aside_diagnostic::{Diagnostic, Severity};
use aside_git_context::GitSnapshot;
use aside_messages::Layer;
use aside_messages::conversation::{EntryDraft, Origin};
use aside_prompt_sections::{
    Boundary, ContextEntry, OutsideText, Registry, Resolved, SessionDate, SystemPrompt,
    session_context, simple_prompt,
};
use serde::{Deserialize, Serialize};

use crate::config::{Git, PromptMode, SessionConfig};
use crate::kinds;
use crate::tools::SessionTool;

/// What a session found when it opened, and what became of it since: enough
/// to go on with it on another day.
///
/// It stays as it is but for what a compaction, a clear, sections and tools
/// that change and files that the model comes to bring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionContext {
    /// The sections of the system prompt as the conversation began; `None` in
    /// simple mode.
    pub sections: Option<Resolved>,
    /// What they came to last, where one that is computed for every request
    /// has come to something else since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewed: Option<Resolved>,
    /// The instruction files; `None` where the working directory is gone.
    pub memory: Option<Memory>,
    /// The state of the repository; `None` outside one.
    pub git: Option<GitSnapshot>,
    /// A value that is only there to be different.
    #[serde(default)]
    pub cache_breaker: Option<String>,
    /// The day on which the session began.
    pub date: SessionDate,
    /// The layout of its requests.
    pub layout: Layout,
    /// How long cache entries live. Decided now: what changes later changes
    /// nothing.
    pub ttl: TtlDecision,
    /// The tools, in the order in which they are sent.
    pub tools: Vec<SessionTool>,
    /// The names of those that were there from the start, or since the last
    /// boundary: the model is not told that they came.
    #[serde(default)]
    pub first_tools: Vec<String>,
    /// Whether tools have come or gone.
    #[serde(default)]
    pub tools_changed: bool,
    /// How often the conversation began anew, by a compaction or a clear.
    #[serde(default)]
    pub anew: u64,
    /// How many requests had gone out when it was last cleared.
    #[serde(default)]
    pub cleared: Option<u64>,
    /// Instruction files that the model came to, and may not know yet.
    #[serde(default)]
    pub nested: Vec<NestedMemory>,
    /// What the last compaction took away and the model is told again.
    #[serde(default)]
    pub recalled: Vec<Attachment>,
}

/// Where the instruction files come from.
#[derive(Debug)]
pub(crate) enum Instructions {
    /// They are looked for.
    Load,
    /// They are read again.
    ReadAgain(Box<Memory>),
}

/// What is gathered.
pub(crate) struct Found {
    pub(crate) sections: Option<Resolved>,
    pub(crate) memory: Option<Memory>,
    pub(crate) git: Option<GitSnapshot>,
}

/// Gathers three ways at once: prompt sections, instruction files, git.
pub(crate) async fn gather(
    config: &SessionConfig,
    registry: Option<&Registry>,
    instructions: Instructions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Found {
    // Git comes first: its processes run while the rest is gathered.
    let ((git, git_faults), (memory, memory_faults), sections) =
        tokio::join!(git(config), memory(config, instructions), resolve(registry));
    if config.cwd.to_str().is_none() {
        let message = "not UTF-8, sent with replacement characters";
        diagnostics.push(kinds::CWD_NOT_UTF8.diagnostic(message).at(&config.cwd));
    }
    diagnostics.extend(memory_faults);
    diagnostics.extend(git_faults);
    let of_sections = sections.iter().flat_map(Resolved::diagnostics);
    diagnostics.extend(of_sections.map(|it| Diagnostic::from(&it)));
    Found {
        sections,
        memory,
        git,
    }
}

async fn resolve(registry: Option<&Registry>) -> Option<Resolved> {
    match registry {
        Some(registry) => Some(registry.resolve().await),
        None => None,
    }
}

/// Returns true for a diagnostic of instruction files that concerns every
/// command. A file that is left out as configured does not.
pub(crate) fn is_reported(diagnostic: &&Diagnostic) -> bool {
    diagnostic.severity > Severity::Note
}

/// Reads the files off the runtime: the loader is synchronous.
async fn memory(
    config: &SessionConfig,
    instructions: Instructions,
) -> (Option<Memory>, Vec<Diagnostic>) {
    let loader = match config.mode {
        PromptMode::Full => config.memory.clone(),
        PromptMode::Simple => config.memory.clone().at_most(aside_claudemd::Mode::Bare),
    };
    let cwd = config.cwd.clone();
    let loaded = tokio::task::spawn_blocking(move || match instructions {
        Instructions::Load => loader.load(&cwd),
        Instructions::ReadAgain(mut memory) => {
            memory.after_compact();
            Ok(*memory)
        }
    })
    .await;
    match loaded {
        Ok(Ok(memory)) => {
            let reported = memory.diagnostics().iter().filter(is_reported);
            let reported = reported.cloned().collect();
            (Some(memory), reported)
        }
        Ok(Err(error)) => (None, vec![kinds::INSTRUCTION_FILES.diagnostic(error)]),
        Err(error) => (None, vec![kinds::INSTRUCTION_FILES.diagnostic(error)]),
    }
}

async fn git(config: &SessionConfig) -> (Option<GitSnapshot>, Vec<Diagnostic>) {
    let (Git::Snapshot(options), PromptMode::Full) = (&config.git, config.mode) else {
        return (None, Vec::new());
    };
    match aside_git_context::snapshot(&config.cwd, options).await {
        Ok(Some(snapshot)) => {
            let faults = snapshot.diagnostics.iter().map(Into::into).collect();
            // Where no command answered, there is nothing to tell.
            let says_something = snapshot.branch.is_some()
                || snapshot.status.is_some()
                || snapshot.commits.is_some();
            (says_something.then_some(snapshot), faults)
        }
        Ok(None) => (None, Vec::new()),
        Err(error) => (None, vec![kinds::GIT.diagnostic(error)]),
    }
}

fn names(tools: &[SessionTool]) -> Vec<String> {
    tools.iter().map(|tool| tool.tool.name.clone()).collect()
}

impl SessionContext {
    /// A session that begins.
    pub(crate) fn new(config: &SessionConfig, tools: Vec<SessionTool>, found: Found) -> Self {
        Self {
            sections: found.sections,
            renewed: None,
            memory: found.memory,
            git: found.git,
            cache_breaker: config.cache_breaker.clone(),
            date: config.date,
            layout: config.layout,
            ttl: config.cache.ttl(),
            first_tools: names(&tools),
            tools_changed: false,
            tools,
            anew: 0,
            cleared: None,
            nested: Vec::new(),
            recalled: Vec::new(),
        }
    }

    /// The conversation begins anew. Date, layout and lifetimes stay.
    pub(crate) fn begin_anew(&mut self, found: Found) {
        self.sections = found.sections;
        self.renewed = None;
        self.memory = found.memory;
        self.git = found.git;
        self.first_tools = names(&self.tools);
        self.tools_changed = false;
        self.anew += 1;
        self.nested.clear();
        self.recalled.clear();
    }

    /// The sections as they are now; `None` in simple mode.
    pub(crate) fn latest(&self) -> Option<&Resolved> {
        self.renewed.as_ref().or(self.sections.as_ref())
    }

    /// The default system prompt of these sections, without any that of simple
    /// mode.
    pub(crate) fn prompt(
        &self,
        config: &SessionConfig,
        sections: Option<&Resolved>,
    ) -> SystemPrompt {
        let Some(sections) = sections else {
            let cwd = OutsideText::new(config.cwd.to_string_lossy());
            return simple_prompt(config.product, &cwd, self.date);
        };
        let boundary = match self.layout {
            Layout::Layered => Boundary::Marked,
            Layout::Classic if config.cache.global_scope().is_usable() => Boundary::Marked,
            Layout::Classic => Boundary::Absent,
        };
        sections.prompt(boundary)
    }

    /// The prompt with what the classic layout has at its end.
    pub(crate) fn with_context(
        &self,
        config: &SessionConfig,
        prompt: SystemPrompt,
    ) -> SystemPrompt {
        match (self.layout, config.mode) {
            (Layout::Classic, PromptMode::Full) => {
                prompt.with_system_context(&self.system_context())
            }
            (Layout::Layered, _) | (_, PromptMode::Simple) => prompt,
        }
    }

    fn system_context(&self) -> Vec<ContextEntry> {
        let git = self
            .git
            .as_ref()
            .map(|git| ContextEntry::git_status(git.render()));
        let breaker = self.cache_breaker.as_deref();
        let breaker = breaker.map(ContextEntry::cache_breaker);
        git.into_iter().chain(breaker).collect()
    }

    /// What the model is told before the human's first word, by the prompt of
    /// that moment.
    pub(crate) fn first_entries(&self, prompt: &SystemPrompt) -> Vec<EntryDraft> {
        let reminder = |layer, body: String| EntryDraft::reminder(Origin::Context { layer }, body);
        let instructions = self.memory.as_ref().and_then(aside_claudemd::instructions);
        match (&self.sections, self.layout) {
            // In simple mode the date is in the prompt.
            (None, _) => instructions
                .map(|body| reminder(Layer::Project, body))
                .into_iter()
                .collect(),
            (Some(_), Layout::Layered) => {
                let git = self
                    .git
                    .as_ref()
                    .map(|git| ContextEntry::git_status(git.render()));
                let date = ContextEntry::current_date(self.date);
                let breaker = self.cache_breaker.as_deref();
                let breaker = breaker.map(ContextEntry::cache_breaker);
                let entries: Vec<_> = git.into_iter().chain([date]).chain(breaker).collect();
                let session = session_context(&entries, prompt);
                let instructions = instructions.map(|body| reminder(Layer::Project, body));
                instructions
                    .into_iter()
                    .chain(session.map(|body| reminder(Layer::Session, body)))
                    .collect()
            }
            (Some(_), Layout::Classic) => {
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
