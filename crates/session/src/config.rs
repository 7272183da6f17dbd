use std::path::PathBuf;
use std::sync::Arc;

use aside_cache_split::Layout;
use aside_claudemd::Loader;
use aside_git_context::GitOptions;
use aside_messages::lower::LowerOptions;
use aside_models::Platform as Service;
use aside_prompt_sections::{
    ASIDE, CodingInstructions, Language, MemoryDirectory, OutputStyle, Platform, Product, Section,
    SessionDate,
};
use aside_reminder::Manager;

use crate::cache_options::CacheOptions;
use crate::prompt_options::PromptOptions;
use crate::session_time::SessionTime;
use crate::state::SessionState;
use crate::tools::SessionTool;

/// The model of a session that names none.
pub const DEFAULT_MODEL: &str = "claude-sonnet-5-5";

/// The longest answer of a session that sets no limit, in tokens.
pub const DEFAULT_MAX_TOKENS: u64 = 8_192;

/// Everything that a session is made from. Nothing else is looked at: no
/// environment variable, no settings file, no clock.
#[derive(Debug)]
pub struct SessionConfig {
    /// The program.
    pub product: &'static Product,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// Further directories that the agent may work in, absolute.
    pub additional_directories: Vec<PathBuf>,
    /// The kind of operating system.
    pub platform: Platform,
    /// The shell that commands run in, such as `bash`.
    pub shell: Option<String>,
    /// The operating system's name and version, such as `Linux 6.8.0`.
    pub os_version: Option<String>,
    /// Which instruction files load.
    pub memory: Loader,
    /// Where the model keeps what should outlast a session.
    pub memory_directory: Option<MemoryDirectory>,
    /// The language to answer in.
    pub language: Option<Language>,
    /// The style of answers.
    pub output_style: Option<OutputStyle>,
    /// Whether the style stands beside the instructions on coding, or in their
    /// place.
    pub coding: CodingInstructions,
    /// Whether the state of the repository is told.
    pub git: Git,
    /// A value that is only there to be different, for those who measure what
    /// the prompt cache saves: `cacheBreaker` in the session's context. Another
    /// one counts when the context is gathered next.
    pub cache_breaker: Option<String>,
    /// The day on which the session begins.
    pub date: SessionDate,
    /// How much of a prompt there is.
    pub mode: PromptMode,
    /// What is said in the place of the default prompt, or behind it.
    pub prompt: PromptOptions,
    /// Sections of the default prompt: one with the name of a default section
    /// replaces it, any other is added at the end of its zone. A section that
    /// has no text within a second is left out.
    pub sections: Vec<Section>,
    /// The names of default sections that are left out.
    pub removed_sections: Vec<String>,
    /// The service that answers; the facts of the model depend on it.
    pub service: Service,
    /// The model that requests name.
    pub model: String,
    /// The provider's name for the model that answers, if it is another one
    /// than `model`: its facts decide how the session delivers.
    pub answering_model: Option<String>,
    /// The longest answer, in tokens.
    pub max_tokens: u64,
    /// In which order a request holds what it holds.
    pub layout: Layout,
    /// What there is to say about the prompt cache.
    pub cache: CacheOptions,
    /// Who the client is, as the first system block; off by default.
    pub attribution: Option<String>,
    /// The tools that the model may call.
    pub tools: Vec<SessionTool>,
    /// The options of lowering. The tools, the number of media, the forms of
    /// system messages and whether thinking is bound follow from the session
    /// and its model instead.
    pub lower: LowerOptions,
    /// The number of images and documents that a request may hold; by default
    /// the limit of the model.
    pub media_limit: Option<usize>,
    /// The reminders of the session.
    pub reminders: Arc<Manager>,
    /// How things stand that Aside does not find out itself.
    pub state: SessionState,
    /// Requests that were sent before: 0, but in a session that is resumed.
    pub turn: u64,
    /// What time it is when the session opens.
    pub time: SessionTime,
}

/// Whether the state of the repository is told.
#[derive(Clone, Debug)]
pub enum Git {
    /// It is taken once, when the session opens.
    Snapshot(GitOptions),
    /// It is not told.
    Skip,
}

/// How much of a prompt there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PromptMode {
    /// Every section.
    #[default]
    Full,
    /// Who the model is, where it works, and the date: one block and nothing
    /// else. No instruction files but those of directories that were added.
    Simple,
}

impl SessionConfig {
    /// A session of Aside with the default options.
    pub fn new(cwd: PathBuf, platform: Platform, memory: Loader, date: SessionDate) -> Self {
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
            coding: CodingInstructions::Included,
            git: Git::Snapshot(GitOptions::default()),
            cache_breaker: None,
            date,
            mode: PromptMode::default(),
            prompt: PromptOptions::default(),
            sections: Vec::new(),
            removed_sections: Vec::new(),
            service: Service::FirstParty,
            model: DEFAULT_MODEL.to_owned(),
            answering_model: None,
            max_tokens: DEFAULT_MAX_TOKENS,
            layout: Layout::default(),
            cache: CacheOptions::default(),
            attribution: None,
            lower: LowerOptions::default(),
            media_limit: None,
            tools: Vec::new(),
            reminders: Arc::default(),
            state: SessionState::default(),
            turn: 0,
            time: SessionTime::default(),
        }
    }
}
