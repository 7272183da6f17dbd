//! The plan of a session: its configuration before anything is gathered.
//!
//! `run`, `render`, `context` and `prompt` make their session from a [`SessionPlan`] and
//! nothing else, so that `render` prints what `run` sends.

use std::time::SystemTime;

use aside_cache_split::PrefixTtl;
use aside_host::ProviderSelection;
use aside_prompt_sections::{Attendance, SessionDate};
use aside_session::{Diagnostic, Session, SessionConfig, SessionContext};

use crate::Failure;
use crate::arguments::{RequestArguments, ToolChoice};
use crate::interrupt;
use crate::models;
use crate::output;
use crate::provider;
use crate::request;
use crate::run::transcripts;
use crate::session::Invocation;
use crate::session_tools;

/// The program that runs a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Harness {
    /// `aside run`, to which no user responds.
    Unattended,
    /// `aside run --steer`.
    Steered,
    /// Another program, whose conversation is an argument.
    Caller,
}

/// The inputs of a session, from the machine, its settings and the arguments.
pub(crate) struct SessionPlan {
    pub(crate) config: SessionConfig,
    /// The faults of the files that the configuration was read from.
    pub(crate) faults: Vec<Diagnostic>,
    pub(crate) selection: ProviderSelection,
    /// The day that `--date` names, on which the clock of the session stops.
    pub(crate) date: Option<SessionDate>,
    /// The name of the tool that starts a worker; `None` without that tool.
    pub(crate) worker_tool: Option<String>,
}

impl SessionPlan {
    /// Reads the configuration, and the files that it names. A model that is unknown or
    /// retires soon is reported.
    ///
    /// The lifetime of the shared layers of the cache follows from the times at which
    /// other sessions of the project began, so a run calls this before it is one of them.
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
        let (mut config, faults) = request::config(invocation, request, &selection)?;
        models::warn(&config, &selection);
        let selection = match config.cache.global_scope().is_usable() {
            true => selection.with_global_scope(),
            false => selection,
        };
        if harness == Harness::Unattended {
            let attendance = &mut config.state.sections.attendance;
            attendance.get_or_insert(Attendance::Unattended);
        }
        if harness != Harness::Caller && config.cache.prefix.is_none() {
            // A run without a place for sessions fails.
            let store = transcripts::store(invocation, &config.cwd).ok();
            let ages = store.map(|it| it.ages(SystemTime::now()));
            config.cache.prefix = Some(PrefixTtl::auto(ages.unwrap_or_default()));
        }
        let worker_tool = request.prompt.worker_tool.clone();
        config.tools = session_tools::offered(&config, tools, worker_tool.as_deref())
            .map_err(Failure::usage)?;
        Ok(Self {
            config,
            faults,
            selection,
            date: request.date,
            worker_tool,
        })
    }

    /// Adds the message ids and the worker tool of the record of a resumed session, with
    /// their tools, even if the arguments do not name them.
    pub(crate) fn resume(&mut self, recorded: &SessionContext) {
        self.config.lower.tag_ids |= recorded.has_ids();
        if self.worker_tool.is_none() && self.config.prompt.keeps_recorded() {
            self.worker_tool = recorded.worker_tool().map(str::to_owned);
        }
        self.config.tools = session_tools::own(&self.config, self.worker_tool.as_deref());
    }

    /// Opens a new session, and reports its diagnostics. This runs git and reads the
    /// instruction files.
    pub(crate) fn open(self) -> Result<Session, Failure> {
        let session = interrupt::block_on(Session::open(self.config))?;
        output::report_all(self.faults.iter().chain(session.diagnostics()).cloned());
        Ok(session)
    }
}
