//! What a session is made from. Everything that could differ between two runs
//! is a field here, so that equal configurations give equal bytes.

use std::path::PathBuf;
use std::sync::Arc;

use aside_cache_split::Layout;
use aside_claudemd::Loader;
use aside_git_context::GitOptions;
use aside_messages::lower::LowerOptions;
use aside_models::{Found, Platform, find_on};
use aside_prompt_sections::{
    ASIDE, CodingInstructions, Language, MemoryDirectory, OsKind, OutputStyle, Product, Section,
    SessionDate,
};
use aside_reminder::Manager;

use crate::cache_options::CacheOptions;
use crate::clear_tool_uses::ClearToolUses;
use crate::compaction_policy::CompactionPolicy;
use crate::live_settings::LiveSettings;
use crate::prompt_options::PromptOptions;
use crate::session_time::SessionTime;
use crate::state::SessionState;
use crate::tools::SessionTool;

/// The model, when a session's configuration names none.
pub const DEFAULT_MODEL: &str = "claude-sonnet-5-5";

/// How long a response may be, in tokens, when a session does not say.
pub const DEFAULT_MAX_TOKENS: u64 = 8_192;

/// Everything that a session depends on. A session reads no environment
/// variable, no settings file and no clock.
///
/// All paths are absolute. [`SessionConfig::new`] fills in the defaults:
///
/// ```
/// use aside_claudemd::{Dirs, Loader};
/// use aside_prompt_sections::OsKind;
/// use aside_session::{DEFAULT_MODEL, PromptMode, SessionConfig};
///
/// let instructions = Loader::new(Dirs::default());
/// let date = "2026-01-31".parse()?;
/// let mut config = SessionConfig::new("/home/ada/build".into(), OsKind::Linux, instructions, date);
/// assert_eq!(config.model, DEFAULT_MODEL);
///
/// config.model = "claude-opus-5".to_owned();
/// config.mode = PromptMode::Simple;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SessionConfig {
    /// The program's names, for the prompt and for reminder tags.
    pub product: &'static Product,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// Further directories that the agent may work in, absolute.
    pub additional_directories: Vec<PathBuf>,
    /// The kind of operating system.
    pub platform: OsKind,
    /// The shell to run commands in, such as `bash`.
    pub shell: Option<String>,
    /// The operating system's name and version, such as `Linux 6.8.0`.
    pub os_version: Option<String>,
    /// Which instruction files to load.
    pub memory: Loader,
    /// Where the model keeps notes that outlast a session.
    pub memory_directory: Option<MemoryDirectory>,
    /// The language to answer in.
    pub language: Option<Language>,
    /// The style of answers.
    pub output_style: Option<OutputStyle>,
    /// The source of both while the session runs; without one they stay.
    pub settings: Option<Arc<dyn LiveSettings>>,
    /// Whether the output style adds to the coding instructions or replaces
    /// them.
    pub coding: CodingInstructions,
    /// Whether the context has the repository's state.
    pub git: Git,
    /// A value whose only purpose is to be different, to measure what the
    /// prompt cache saves: `cacheBreaker` in the session's context.
    pub cache_breaker: Option<String>,
    /// The day when the session begins.
    pub date: SessionDate,
    /// How much system prompt to send.
    pub mode: PromptMode,
    /// Texts to replace the default prompt or to append.
    pub prompt: PromptOptions,
    /// Sections for the default prompt: one with a default section's name
    /// replaces it, any other is added at the end of its zone. A section that
    /// has no text within a second is left out.
    pub sections: Vec<Section>,
    /// Names of default sections to leave out.
    pub removed_sections: Vec<String>,
    /// The service that runs the model; the model's facts depend on it.
    pub service: Platform,
    /// The model to request, in the provider's spelling.
    pub model: String,
    /// The provider's name for the model that responds, if it is not `model`.
    /// Its facts decide how texts are delivered.
    pub answering_model: Option<String>,
    /// How long a response may be, in tokens (`max_tokens`).
    pub max_tokens: u64,
    /// In which order a request has its parts.
    pub layout: Layout,
    /// How to use the prompt cache.
    pub cache: CacheOptions,
    /// The client's name, sent as the first system block; `None` sends no such
    /// block.
    pub attribution: Option<String>,
    /// What is stored from one request to the next.
    pub persistence: Persistence,
    /// The tools that the model may call.
    pub tools: Vec<SessionTool>,
    /// How to lower messages. Tools, media limit, documents, compaction
    /// blocks, the forms of system messages and the binding of thinking come from the session and its model
    /// instead.
    pub lower: LowerOptions,
    /// How many images and documents a request may have; by default the model's
    /// limit.
    pub media_limit: Option<usize>,
    /// How many tools a request may have; by default what the service's own servers take. MCP
    /// servers' tools beyond it are left out. Set it for another server with the service's wire.
    pub tool_limit: Option<usize>,
    /// When and how the loop replaces the conversation by a summary, which the
    /// section `session_guidance` announces to the model; `None` for never.
    pub compaction: Option<CompactionPolicy>,
    /// Makes the API clear older tool results, if the model and its platform
    /// may take it. The section `function_result_clearing` announces it.
    pub clear_tool_uses: Option<ClearToolUses>,
    /// The session's reminders.
    pub reminders: Arc<Manager>,
    /// Whether to announce the skills in files.
    pub file_skills: bool,
    /// Whether to announce the agents in files.
    pub file_agents: bool,
    /// What the session cannot find out itself.
    pub state: SessionState,
    /// How many requests were sent before: 0, except in a resumed session.
    pub turn: u64,
    /// The time when the session opens.
    pub time: SessionTime,
}

/// Whether the context has the repository's state.
#[derive(Clone, Debug)]
pub enum Git {
    /// A snapshot, taken once when the session opens.
    Snapshot(GitOptions),
    /// No snapshot; reminders still have the value for `{{branch}}`.
    Branch,
    /// Nothing: in reminders, `{{branch}}` is `none`.
    Skip,
}

/// What is stored from one request to the next. A request continues the
/// previous one only if it has again everything that the session added there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Persistence {
    /// The context and the conversation, with the entries that requests append.
    #[default]
    Conversation,
    /// Only the context. Requests append nothing: no attachment, no persistent
    /// reminder. An ephemeral reminder is sent if the model does not bind its
    /// thinking to the prefix.
    Context,
    /// Nothing. Like [`Persistence::Context`], and the first message has no
    /// date, which differs between two requests.
    Nothing,
}

/// How much system prompt to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PromptMode {
    /// Every section.
    #[default]
    Full,
    /// One block with identity, working directory and date. Instruction files
    /// and git are in the request as ever.
    Simple,
}

impl SessionConfig {
    /// Configures an Aside session with default options. `cwd` is absolute.
    pub fn new(cwd: PathBuf, platform: OsKind, memory: Loader, date: SessionDate) -> Self {
        Self {
            product: &ASIDE,
            cwd,
            additional_directories: Vec::new(),
            platform,
            shell: None,
            os_version: None,
            memory,
            memory_directory: None,
            language: None,
            output_style: None,
            settings: None,
            coding: CodingInstructions::Included,
            git: Git::Snapshot(GitOptions::default()),
            cache_breaker: None,
            date,
            mode: PromptMode::default(),
            prompt: PromptOptions::default(),
            sections: Vec::new(),
            removed_sections: Vec::new(),
            service: Platform::FirstParty,
            model: DEFAULT_MODEL.to_owned(),
            answering_model: None,
            max_tokens: DEFAULT_MAX_TOKENS,
            layout: Layout::default(),
            cache: CacheOptions::default(),
            attribution: None,
            persistence: Persistence::default(),
            lower: LowerOptions::default(),
            media_limit: None,
            tool_limit: None,
            compaction: None,
            clear_tool_uses: None,
            tools: Vec::new(),
            reminders: Arc::default(),
            file_skills: true,
            file_agents: true,
            state: SessionState::default(),
            turn: 0,
            time: SessionTime::default(),
        }
    }

    /// Returns true if the program replaces a long conversation by a summary.
    pub(crate) fn is_compacted(&self) -> bool {
        self.compaction.is_some() || self.state.automatic_compaction
    }

    /// Returns the model that responds.
    pub(crate) fn answering(&self) -> Found {
        let model = self.answering_model.as_ref().unwrap_or(&self.model);
        find_on(self.service, model)
    }

    /// Returns the clearing of tool results that requests ask for: the one that
    /// is configured, if the model and its platform may take it, and if it pays.
    pub(crate) fn clearing(&self) -> Option<ClearToolUses> {
        let clearing = self.accepted_clearing();
        clearing.and_then(|it| it.priced(self.answering().facts).ok())
    }

    /// Returns the clearing that is configured, if the model and its platform may
    /// take it.
    pub(crate) fn accepted_clearing(&self) -> Option<ClearToolUses> {
        let facts = self.answering().facts;
        let is_accepted = self.service.is_anthropic()
            && !self.cache.global_scope.betas_disabled
            && facts.context_editing.known_on(self.service) != Some(false);
        self.clear_tool_uses.filter(|_| is_accepted)
    }
}
