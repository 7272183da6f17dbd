use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use aside_cache_split::{Caching, PlanError, PlanInput, PlanOptions, Rejected, Sequel, plan};
use aside_messages::conversation::{Conversation, EntryDraft};
use aside_messages::encode::{BlockRef, Body, BodyParts, MarkerError};
use aside_messages::lower::{LowerError, LowerOptions, Lowerer, Reset, Tail};
use aside_prompt_sections::Diagnostic as PromptFault;
use uuid::Uuid;

use crate::config::{PromptMode, SessionConfig};
use crate::diagnostic::{Area, Diagnostic};
use crate::opened::{Opened, gather};
use crate::prefix::{Frame, Prefix};
use crate::prepared::Prepared;
use crate::prompt_report::{Gathered, PromptReport};
use crate::reminders::{Reminders, SessionTime};
use crate::tools::{SessionTool, arrange};

/// A session: what was gathered once, and what goes on from request to
/// request.
#[derive(Debug)]
pub struct Session {
    opened: Opened,
    diagnostics: Vec<Diagnostic>,
    prompt_report: PromptReport,
    first_entries: Vec<EntryDraft>,
    frame: Frame,
    prefix: Prefix,
    /// How many requests had gone out when the tools changed.
    tools_changed: Option<u64>,
    lower: LowerOptions,
    caching: Caching,
    sequel: Sequel,
    /// Markers of the caller's that were told not to be sent.
    dropped_markers: BTreeSet<BlockRef>,
    lowerer: Lowerer,
    reminders: Reminders,
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
        let (opened, registry) = gather(&config, &mut diagnostics).await;
        let default = opened.prompt(&config);
        let effective = config.prompt.effective(config.product, &default);
        // In simple mode nothing explains reminders, and hardly any is sent.
        let is_simple = config.mode == PromptMode::Simple;
        let is_wanted = |fault: &PromptFault| {
            !(is_simple && matches!(fault, PromptFault::ReminderTagUnexplained { .. }))
        };
        let faults = effective.diagnostics.iter().filter(|it| is_wanted(it));
        diagnostics.extend(faults.map(|it| Diagnostic::new(Area::Prompt, it)));
        if config.cache.caching == Caching::Off {
            let off = "prompt caching is off: no marker is sent";
            diagnostics.push(Diagnostic::new(Area::Cache, off));
        }
        let first_entries = opened.first_entries(&effective.prompt);
        let prompt = opened.with_context(&config, effective.prompt.clone());
        let frame = Frame::new(&config, effective.rule, prompt);
        let prefix = frame.around(&opened.tools);
        let prompt_report = PromptReport::new(&Gathered {
            registry: registry.as_ref(),
            resolved: opened.sections.as_ref(),
            prompt: frame.prompt(),
            effective: &effective,
            layout: opened.layout,
            split: &prefix.split,
        });
        let reminders = Reminders::new(&config, &opened, &mut diagnostics);
        let lower = with_tools(config.lower, &opened.tools);
        Self {
            opened,
            diagnostics,
            prompt_report,
            first_entries,
            frame,
            prefix,
            tools_changed: None,
            lower: lower.clone(),
            caching: config.cache.caching,
            sequel: config.cache.sequel,
            dropped_markers: BTreeSet::new(),
            lowerer: Lowerer::new(lower),
            reminders,
        }
    }

    /// What was found when the session opened.
    #[must_use]
    pub fn opened(&self) -> &Opened {
        &self.opened
    }

    /// What people should know about it.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The system prompt, section by section, and which rule chose it.
    #[must_use]
    pub fn prompt(&self) -> &PromptReport {
        &self.prompt_report
    }

    /// The model, as the provider calls it.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.prefix.parameters.model
    }

    /// A new conversation, which begins with what the model is told before the
    /// human's first word.
    #[must_use]
    pub fn begin(&self, id: Uuid) -> Conversation {
        let mut conversation = Conversation::new(id);
        for entry in &self.first_entries {
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

    /// Says what time it is, until it is said again.
    pub fn set_time(&mut self, time: SessionTime) {
        self.reminders.set_time(time);
    }

    /// Tools came or went, as when an MCP server connects: these are the tools
    /// from now on. Says what is left out of them.
    ///
    /// Tools stand before everything else, so nothing that was sent is found
    /// in the cache again. A tool that is loaded on demand costs nothing.
    pub fn set_tools(&mut self, tools: Vec<SessionTool>) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let tools = arrange(tools, &mut diagnostics);
        if tools != self.opened.tools {
            self.prefix = self.frame.around(&tools);
            self.lower = with_tools(self.lower.clone(), &tools);
            self.lowerer.set_options(self.lower.clone());
            self.tools_changed = Some(self.reminders.turn());
            self.opened.tools = tools;
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
        let sent = self.reminders.due(conversation, &mut diagnostics);
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

        // Until a request with the new ones went out.
        let is_new = self.tools_changed == Some(self.reminders.turn());
        let tools_changed = is_new.then_some(Reset::Tools);
        let prefix = &self.prefix;
        let plan = plan(PlanInput {
            layout: self.opened.layout,
            split: &prefix.split,
            tools: &prefix.tools,
            messages: &lowered,
            options: PlanOptions {
                ttl: self.opened.ttl.policy,
                caching: self.caching,
                sequel: self.sequel,
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
        let mended = lowered.diagnostics.iter();
        diagnostics.extend(mended.map(|it| Diagnostic::new(Area::Messages, it)));
        for Rejected { at, why, .. } in plan.dropped() {
            if self.dropped_markers.insert(*at) {
                let message = format!("the caller's marker at {at} is not sent: {why}");
                diagnostics.push(Diagnostic::new(Area::Cache, message));
            }
        }
        Ok(Prepared {
            body,
            plan,
            reset: lowered.reset.or(tools_changed),
            diagnostics,
            sent,
        })
    }
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
