//! A session's plan: its configuration before anything is gathered.
//!
//! `run`, `render`, `context` and `prompt` create their session from a
//! [`SessionPlan`] and nothing else, so that `render` prints what `run` sends.

use std::time::SystemTime;

use aside_cache_split::shared_ttl;
use aside_host::{DocumentedSystem, Hook, Invocation, ProviderSelection, project_dir};
use aside_messages::conversation::Conversation;
use aside_messages::lower::ModelName;
use aside_models::find_on;
use aside_prompt_sections::{Attendance, SessionDate};
use aside_providers::{Provider, ServerKind};
use aside_session::{CacheOptions, Diagnostic, Git, Session, SessionConfig, SessionContext};
use aside_tools::OwnTools;

use crate::Failure;
use crate::arguments::{RequestArguments, ToolChoice};
use crate::interrupt;
use crate::kinds;
use crate::models;
use crate::output;
use crate::provider;
use crate::request;
use crate::run::transcripts;
use crate::session_tools;

/// The maximum number of hooks to report; `aside context` lists all.
const MAX_NOTED_HOOKS: usize = 20;

/// The tool that other agents use to run shell commands.
const BASH: &str = "Bash";

/// Which program runs a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Harness {
    /// `aside run`, with no user to respond.
    Unattended,
    /// `aside run --steer`.
    Steered,
    /// Another program, which passes its conversation as an argument.
    Caller,
}

/// What to open a session with, from the machine, its settings and the
/// arguments.
pub(crate) struct SessionPlan {
    pub(crate) config: SessionConfig,
    /// Faults in the files that the configuration was read from.
    pub(crate) faults: Vec<Diagnostic>,
    pub(crate) selection: ProviderSelection,
    /// True when an argument names the model.
    names_model: bool,
    /// True when the lifetime of the shared layers is the default.
    has_auto_prefix: bool,
    /// The day that `--date` names: the session's clock stops there.
    pub(crate) date: Option<SessionDate>,
    /// The name of the tool to start a worker; `None` without it.
    pub(crate) worker_tool: Option<String>,
    /// True when the model may change files.
    pub(crate) allows_edits: bool,
}

impl SessionPlan {
    /// Reads the configuration, and the files that it names. Reports a model
    /// that is unknown or retires soon.
    ///
    /// The shared layers' cache lifetime depends on when other sessions in the
    /// project began, so a run calls this before it becomes one of them.
    ///
    /// # Errors
    /// Every error is a usage error.
    pub(crate) fn new(
        invocation: &Invocation,
        request: &RequestArguments,
        harness: Harness,
        tools: &ToolChoice,
    ) -> Result<Self, Failure> {
        let selection = provider::select(invocation, request)?;
        let (mut config, mut faults) = invocation.session();
        config.settings = Some(invocation.live_settings(&faults));
        let hooks = invocation.settings.hooks.iter().take(MAX_NOTED_HOOKS);
        faults.extend(hooks.map(Hook::note));
        // The cache's host, the model facts and the responding model's id.
        config.cache.hosting = CacheOptions::hosting_of(selection.provider());
        config.service = selection.provider().spec().platform;
        if selection.server() != ServerKind::Own {
            // How many tools it takes is not known.
            config.tool_limit = Some(usize::MAX);
        }
        request::fill(&mut config, request)?;
        follow_model(&mut config, &selection);
        if invocation.command_line.system == DocumentedSystem::Published {
            faults.extend(bound_fault(&config));
        }
        // The documented system has global scope only if the provider takes it.
        if request.global_scope || invocation.has_global_scope() {
            faults.extend(global_scope_fault(&config, selection.provider()));
        }
        let selection = if config.cache.global_scope().is_usable() {
            selection.with_global_scope()
        } else {
            selection
        };
        if harness == Harness::Unattended {
            let attendance = &mut config.state.sections.attendance;
            attendance.get_or_insert(Attendance::Unattended);
        }
        let has_auto_prefix = harness != Harness::Caller && config.cache.prefix.is_none();
        if has_auto_prefix {
            // Without a place for sessions, a run fails.
            let store = transcripts::store(invocation, &config.cwd).ok();
            let ages = store.map(|it| it.ages(SystemTime::now()));
            config.cache.prefix = Some(shared_ttl(ages.unwrap_or_default()));
        }
        let mut plan = Self {
            config,
            faults,
            selection,
            names_model: request.model.is_some(),
            has_auto_prefix,
            date: request.date,
            worker_tool: request.prompt.worker_tool.clone(),
            allows_edits: request.allow_edits,
        };
        plan.config.tools = session_tools::offered(&plan.config, tools, plan.own_tools())
            .map_err(Failure::usage)?;
        plan.name_shell();
        Ok(plan)
    }

    /// Adds what a resumed session recorded, even when the arguments do not
    /// name it: the model, message ids and the worker tool, with their tools,
    /// its modes, and its working directory, which the model's paths are relative
    /// to. Another platform may not have the model.
    pub(crate) fn resume(&mut self, recorded: &SessionContext, conversation: &Conversation) {
        let config = &mut self.config;
        if let Some(cwd) = recorded.cwd()
            && cwd.canonicalize().ok() != config.cwd.canonicalize().ok()
        {
            let (began, now) = (cwd.display(), config.cwd.display());
            // A record must not choose a directory outside the project.
            let is_own = cwd.is_dir() && project_dir(cwd) == project_dir(&config.cwd);
            let message = if is_own {
                format!("the session continues in {began}, where it began, not in {now}")
            } else {
                format!("the session began in {began}; paths are relative to {now} now")
            };
            if is_own {
                config.cwd = cwd.to_owned();
            }
            self.faults.push(kinds::CWD_RECORDED.diagnostic(message));
        }
        if !self.names_model
            && let Some(sent) = recorded.last_delivery(conversation)
            && sent.platform == config.service.as_str()
            && sent.model != config.model
        {
            config.model.clone_from(&sent.model);
            follow_model(config, &self.selection);
        }
        if self.has_auto_prefix {
            // What began meanwhile does not matter to this session.
            self.config.cache.prefix = None;
        }
        recorded.keep_modes(&mut self.config.state);
        self.config.lower.tag_ids |= recorded.has_ids();
        if self.worker_tool.is_none() && self.config.prompt.keeps_recorded() {
            self.worker_tool = recorded.worker_tool().map(str::to_owned);
        }
        self.config.tools = self.own_tools().definitions();
    }

    /// Sets who serves the model, to tell its own thinking from others'; `None`
    /// when unknown.
    pub(crate) fn serve_by(&mut self, provider: Option<String>) {
        let name = self.config.model.clone();
        self.config.lower.model = provider.map(|provider| ModelName { provider, name });
    }

    fn own_tools(&self) -> OwnTools<'_> {
        OwnTools {
            edits: self.allows_edits,
            snip: self.config.lower.tag_ids,
            worker: self.worker_tool.as_deref(),
        }
    }

    /// When Bash is offered, lets the hint on a truncated git status name it.
    fn name_shell(&mut self) {
        let mut tools = self.config.tools.iter();
        let has_shell = tools.any(|it| it.tool.name == BASH);
        if let Git::Snapshot(options) = &mut self.config.git
            && has_shell
        {
            options.tool_name = Some(BASH.to_owned());
        }
    }

    /// Opens a new session, and reports its diagnostics. This runs git and
    /// reads the instruction files.
    pub(crate) fn open(self) -> Result<Session, Failure> {
        let session = interrupt::block_on(Session::open(self.config))?;
        output::report_all(self.faults.iter().chain(session.diagnostics()).cloned());
        Ok(session)
    }
}

/// Sets which model answers for the session's, and reports one that is unknown
/// or retires soon.
fn follow_model(config: &mut SessionConfig, selection: &ProviderSelection) {
    config.answering_model = selection.answering_model(&config.model);
    models::warn(config, selection);
}

/// Returns a note when the model binds its thinking to the prefix, which the
/// documented system does not expect.
fn bound_fault(config: &SessionConfig) -> Option<Diagnostic> {
    let facts = find_on(config.service, &config.model).facts;
    (facts.bound_to_prefix == Some(true)).then(|| {
        let message = format!(
            "{} binds its thinking to the prefix: reminders and changed sections stay in the \
             conversation, which the documented system does not do",
            config.model
        );
        kinds::PROFILE_BOUND.diagnostic(message)
    })
}

/// Returns a warning if requests will not have the global scope that is switched on.
fn global_scope_fault(config: &SessionConfig, provider: Provider) -> Option<Diagnostic> {
    let scope = config.cache.global_scope();
    if scope.is_usable() {
        return None;
    }
    let why = if scope.betas_disabled {
        "beta features are off".to_owned()
    } else {
        format!("{provider} does not take it")
    };
    Some(kinds::GLOBAL_SCOPE_OFF.diagnostic(format!("global scope is not sent: {why}")))
}
