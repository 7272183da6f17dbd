use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aside_attachments::cadence::CadenceTracker;
use aside_cache_split::{PlanError, PlanInput, PlanOptions, Rejected, plan};
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::Conversation;
use aside_messages::encode::{BlockRef, Body, BodyParts, MarkerError};
use aside_messages::lower::{LowerError, LowerOptions, Lowerer, PrefixReset, Tail};
use aside_prompt_sections::{Registry, SessionDate};
use aside_reminder::Snapshot;
use uuid::Uuid;

use crate::attachments::Edit;
use crate::composed::Composed;
use crate::config::{PromptMode, SessionConfig};
use crate::context::{Instructions, SessionContext, gather};
use crate::kinds;
use crate::prepared::Prepared;
use crate::prompt_report::PromptReport;
use crate::read_state::ReadState;
use crate::reminders::{Reminders, SessionTime};
use crate::resume_state::{Note, ReadNote};
use crate::sections::registry;
use crate::state::{McpServer, SessionState};
use crate::tools::{SessionTool, arrange};

/// A session: what was gathered once, and what goes on from request to
/// request.
#[derive(Debug)]
pub struct Session {
    pub(crate) config: SessionConfig,
    pub(crate) context: SessionContext,
    /// Where the sections come from; `None` in simple mode.
    pub(crate) registry: Option<Registry>,
    pub(crate) composed: Composed,
    diagnostics: Vec<Diagnostic>,
    /// The date, where anybody said it since the session began.
    pub(crate) today: Option<SessionDate>,
    /// What changed ahead of the conversation, and how many requests had gone
    /// out by then.
    pub(crate) changed: Option<(u64, PrefixReset)>,
    /// Markers of the caller's that were told not to be sent.
    dropped_markers: BTreeSet<BlockRef>,
    lowerer: Lowerer,
    pub(crate) reminders: Reminders,
    pub(crate) cadence: CadenceTracker,
    pub(crate) reads: ReadState,
    pub(crate) edits: Vec<Edit>,
    /// Whether what the session found is written down as it is now.
    pub(crate) is_noted: bool,
    pub(crate) notes: Vec<Note>,
}

/// Why there is no request.
#[derive(Debug)]
pub struct PrepareError {
    fault: Fault,
}

#[derive(Debug)]
enum Fault {
    Lower(LowerError),
    Plan(PlanError),
    Marker(MarkerError),
}

impl Session {
    /// Gathers what the session will tell its model: sections of the system
    /// prompt, instruction files and git, at the same time. What goes wrong on
    /// the way is in [`Session::diagnostics`].
    pub async fn open(config: SessionConfig) -> Self {
        let mut diagnostics = Vec::new();
        let tools = arrange(all_tools(&config), &mut diagnostics);
        let registry =
            (config.mode == PromptMode::Full).then(|| registry(&config, &tools, &mut diagnostics));
        let load = Instructions::Load;
        let found = gather(&config, registry.as_ref(), load, &mut diagnostics).await;
        let context = SessionContext::new(&config, tools, found);
        Self::assemble(config, context, registry, diagnostics)
    }

    /// A session of what was gathered.
    pub(crate) fn assemble(
        mut config: SessionConfig,
        context: SessionContext,
        registry: Option<Registry>,
        mut diagnostics: Vec<Diagnostic>,
    ) -> Self {
        let composed = Composed::new(&config, &context, registry.as_ref(), &mut diagnostics);
        let reminders = Reminders::new(&config, &context, &mut diagnostics);
        config.lower = with_tools(config.lower, &context.tools);
        Self {
            today: None,
            context,
            registry,
            composed,
            diagnostics,
            changed: None,
            dropped_markers: BTreeSet::new(),
            lowerer: Lowerer::new(config.lower.clone()),
            config,
            reminders,
            cadence: CadenceTracker::default(),
            reads: ReadState::default(),
            edits: Vec::new(),
            is_noted: false,
            notes: Vec::new(),
        }
    }

    /// What was found when the session opened.
    #[must_use]
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// What people should know about it.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The system prompt, section by section, and which rule chose it.
    #[must_use]
    pub fn prompt(&self) -> &PromptReport {
        &self.composed.report
    }

    /// The model, as the provider calls it.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.composed.prefix.parameters.model
    }

    /// A new conversation, which begins with what the model is told before the
    /// human's first word.
    #[must_use]
    pub fn begin(&self, id: Uuid) -> Conversation {
        let mut conversation = Conversation::new(id);
        for entry in &self.composed.first_entries {
            conversation.push(entry.clone());
        }
        conversation
    }

    /// Requests that went out, those before a resume included: what a session
    /// that takes this one up again begins with.
    #[must_use]
    pub fn turn(&self) -> u64 {
        self.reminders.turn()
    }

    /// How long the session has gone on.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.reminders.elapsed()
    }

    /// How often each reminder has fired, to be written down with every
    /// request that went out.
    #[must_use]
    pub fn reminder_counters(&self) -> Snapshot {
        self.reminders.counters()
    }

    /// The files that the model has seen since the conversation last began.
    #[must_use]
    pub fn reads(&self) -> &ReadState {
        &self.reads
    }

    /// What has to be written down, ahead of the entries that were appended
    /// since this was asked last, so that [`Session::resume`] can go on.
    pub fn take_notes(&mut self, conversation: &Conversation) -> Vec<Note> {
        self.follow(conversation);
        let mut notes = Vec::new();
        if !self.is_noted {
            self.is_noted = true;
            notes.push(Note::Context(Box::new(self.context.clone())));
        }
        let there = conversation.entries().len() as u64;
        for note in &mut self.notes {
            // What is still to be told is told whatever came.
            if let Note::Read(read @ ReadNote { edit: None, .. }) = note {
                read.entries = there;
            }
        }
        notes.append(&mut self.notes);
        notes
    }

    /// Says another `cacheBreaker`. What was gathered stands in requests that
    /// went out, so it counts from the next boundary on.
    pub fn set_cache_breaker(&mut self, value: Option<String>) {
        self.config.cache_breaker = value;
    }

    /// Says what time it is, until it is said again.
    pub fn set_time(&mut self, time: SessionTime) {
        self.reminders.set_time(time);
    }

    /// Says what day it is. Where it is another one than the model was told,
    /// the next request says so at its end.
    pub fn set_date(&mut self, today: SessionDate) {
        self.today = Some(today);
        self.reminders.set_date(today);
    }

    /// How things stand, as it was said last.
    #[must_use]
    pub fn state(&self) -> &SessionState {
        &self.config.state
    }

    /// Says how things stand, until it is said again. What the model was not
    /// told yet is in the next request. Says what is left out of the tools.
    pub fn set_state(&mut self, state: SessionState) -> Vec<Diagnostic> {
        self.config.state = state;
        self.change_tools()
    }

    /// Tools of the program came or went: these are the tools from now on,
    /// beside those of the MCP servers in the [state](Session::state). Says
    /// what is left out of them.
    ///
    /// Tools stand before everything else, so nothing that was sent is found
    /// in the cache again. A tool that is loaded on demand costs nothing.
    pub fn set_tools(&mut self, tools: Vec<SessionTool>) -> Vec<Diagnostic> {
        self.config.tools = tools;
        self.change_tools()
    }

    fn change_tools(&mut self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let tools = arrange(all_tools(&self.config), &mut diagnostics);
        if tools != self.context.tools {
            self.composed.prefix = self.composed.frame.around(&tools);
            self.config.lower = with_tools(self.config.lower.clone(), &tools);
            self.lowerer.set_options(self.config.lower.clone());
            self.changed = Some((self.reminders.turn(), PrefixReset::Tools));
            self.context.tools = tools;
            self.context.tools_changed = true;
            self.is_noted = false;
        }
        diagnostics
    }

    /// Prepares the next request. The conversation is only read; what the
    /// request took from the session counts once it is
    /// [committed](Prepared::commit).
    ///
    /// # Errors
    /// Where the last word of the conversation is not the user's, or the
    /// caller's own cache markers are not what the API takes.
    pub fn prepare(&mut self, conversation: &Conversation) -> Result<Prepared, PrepareError> {
        let mut diagnostics = Vec::new();
        self.follow(conversation);
        let mut sent = self.reminders.due(conversation, &mut diagnostics);
        // What is told at the end is no question.
        if self.reminders.awaits_answer() {
            sent = sent.behind(self.due());
        }
        let ephemeral = sent.ephemeral();
        let tail = Tail {
            pending: sent.pending(),
            ephemeral: &ephemeral,
        };
        let lowered = self
            .lowerer
            .lower(conversation, tail)
            .map_err(|error| PrepareError {
                fault: Fault::Lower(error),
            })?;

        // Until a request with what is new went out.
        let changed = self
            .changed
            .filter(|(turn, _)| *turn == self.reminders.turn());
        let prefix = &self.composed.prefix;
        let plan = plan(PlanInput {
            layout: self.context.layout,
            split: &prefix.split,
            tools: &prefix.tools,
            messages: &lowered,
            options: PlanOptions {
                ttl: self.context.ttl.policy,
                caching: self.config.cache.caching,
                continuation: self.config.cache.continuation,
                automatic: prefix.parameters.cache_control.as_ref(),
            },
        })
        .map_err(|error| PrepareError {
            fault: Fault::Plan(error),
        })?;
        let body = Body::new(BodyParts {
            parameters: &prefix.parameters,
            tools: &prefix.tools,
            system: &prefix.system,
            history: lowered.history(),
            tail: lowered.tail(),
            markers: &plan.markers(),
        })
        .map_err(|error| PrepareError {
            fault: Fault::Marker(error),
        })?;
        diagnostics.extend(lowered.diagnostics.iter().map(Diagnostic::from));
        for Rejected { at, why, .. } in plan.dropped() {
            if self.dropped_markers.insert(*at) {
                let message = format!("the caller's marker at {at} is not sent: {why}");
                diagnostics.push(kinds::MARKER_DROPPED.diagnostic(message));
            }
        }
        Ok(Prepared {
            body,
            plan,
            reset: lowered.reset.or(changed.map(|(_, reset)| reset)),
            diagnostics,
            sent,
        })
    }
}

/// Those of the program, then those of MCP servers.
fn all_tools(config: &SessionConfig) -> Vec<SessionTool> {
    let servers = config.state.servers().iter();
    let brought = servers.flat_map(McpServer::session_tools);
    config.tools.iter().cloned().chain(brought).collect()
}

/// A `tool_reference` to any other tool becomes text.
fn with_tools(options: LowerOptions, tools: &[SessionTool]) -> LowerOptions {
    let names = tools.iter().map(|tool| tool.tool.name.clone());
    LowerOptions {
        tools: Some(Arc::new(names.collect())),
        ..options
    }
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            Fault::Lower(error) => error.fmt(f),
            Fault::Plan(error) => error.fmt(f),
            Fault::Marker(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PrepareError {}
