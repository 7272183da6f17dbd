use std::fmt;
use std::sync::Arc;

use aside_cache_split::{
    Layout, PlanInput, Split, SplitBlock, SplitInputs, TtlPolicy, plan, split,
};
use aside_messages::conversation::{Conversation, EntryDraft};
use aside_messages::encode::{Body, BodyParts, Encoded, MarkerError};
use aside_messages::lower::{LowerError, LowerOptions, Lowerer, Tail};
use aside_messages::wire::{Request, Tool};
use aside_prompt_sections::{EffectiveInputs, SystemPrompt, effective};
use uuid::Uuid;

use crate::config::{PromptMode, SessionConfig};
use crate::diagnostic::{Area, Diagnostic};
use crate::opened::{Opened, gather};
use crate::prepared::Prepared;
use crate::reminders::{Reminders, SessionTime};
use crate::tools::SessionTool;

/// A session: what was gathered once, and what goes on from request to
/// request.
#[derive(Debug)]
pub struct Session {
    opened: Opened,
    diagnostics: Vec<Diagnostic>,
    first_entries: Vec<EntryDraft>,
    prefix: Prefix,
    ttl: TtlPolicy,
    lowerer: Lowerer,
    reminders: Reminders,
}

/// What stands before the messages in every request of the session.
#[derive(Debug)]
struct Prefix {
    /// Without tools, system prompt and messages.
    parameters: Request,
    split: Split,
    encoded_tools: Arc<Encoded>,
    encoded_system: Arc<Encoded>,
}

/// Why there is no request.
#[derive(Debug)]
pub struct PrepareError {
    fault: Fault,
}

#[derive(Debug)]
enum Fault {
    Lower(LowerError),
    Marker(MarkerError),
}

impl Session {
    /// Gathers what the session will tell its model: sections of the system
    /// prompt, instruction files and git, at the same time. What goes wrong on
    /// the way is in [`Session::diagnostics`].
    pub async fn open(config: SessionConfig) -> Self {
        let mut diagnostics = Vec::new();
        let opened = gather(&config, &mut diagnostics).await;
        let default = opened.prompt(&config);
        let effective = effective(EffectiveInputs::new(&default));
        if config.mode == PromptMode::Full {
            let faults = effective.diagnostics;
            diagnostics.extend(
                faults
                    .into_iter()
                    .map(|it| Diagnostic::new(Area::Prompt, it)),
            );
        }
        let first_entries = opened.first_entries(&effective.prompt);
        let prefix = Prefix::new(&config, &opened, effective.prompt);
        let reminders = Reminders::new(&config, &opened, &mut diagnostics);
        let tools = opened.tools.iter().map(|tool| tool.tool.name.clone());
        let lower = LowerOptions {
            tools: Some(Arc::new(tools.collect())),
            ..config.lower
        };
        Self {
            opened,
            diagnostics,
            first_entries,
            prefix,
            ttl: config.ttl,
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

    /// Says what time it is, until it is said again.
    pub fn set_time(&mut self, time: SessionTime) {
        self.reminders.set_time(time);
    }

    /// Prepares the next request. The conversation is only read; what the
    /// request took from the session counts once it is
    /// [committed](Prepared::commit).
    ///
    /// # Errors
    /// Where the last word of the conversation is not the user's.
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

        let prefix = &self.prefix;
        let plan = plan(PlanInput {
            layout: self.opened.layout,
            split: &prefix.split,
            tools: &prefix.encoded_tools,
            messages: &lowered,
            ttl: self.ttl,
        });
        let body = Body::new(BodyParts {
            parameters: &prefix.parameters,
            tools: &prefix.encoded_tools,
            system: &prefix.encoded_system,
            history: lowered.history(),
            tail: lowered.tail(),
            markers: &plan.markers(),
        })
        .map_err(|error| PrepareError {
            fault: Fault::Marker(error),
        })?;
        let mended = lowered.diagnostics.iter();
        diagnostics.extend(mended.map(|it| Diagnostic::new(Area::Messages, it)));
        Ok(Prepared {
            body,
            plan,
            reset: lowered.reset,
            diagnostics,
            sent,
        })
    }
}

impl Prefix {
    fn new(config: &SessionConfig, opened: &Opened, prompt: SystemPrompt) -> Self {
        let is_simple = config.mode == PromptMode::Simple;
        let prompt = match opened.layout {
            Layout::Classic if !is_simple => prompt.with_system_context(&opened.system_context()),
            Layout::Classic | Layout::Layered => prompt,
        };
        let split = split(
            &prompt,
            SplitInputs {
                layout: opened.layout,
                global_scope: config.global_scope,
                mcp_tools_in_prefix: opened.tools.iter().any(SessionTool::is_mcp_in_prefix),
                attribution: config.attribution.as_deref().filter(|_| !is_simple),
                identity: (!is_simple).then_some(config.product.identity),
            },
        );
        let (system, sources): (Vec<_>, Vec<_>) =
            split.blocks.iter().map(SplitBlock::to_wire).unzip();
        let tools: Vec<Tool> = opened.tools.iter().map(|tool| tool.tool.clone()).collect();
        Self {
            parameters: Request {
                model: config.model.clone(),
                max_tokens: config.max_tokens,
                ..Request::default()
            },
            encoded_tools: Arc::new(Encoded::tools(tools)),
            encoded_system: Arc::new(Encoded::system(system, sources)),
            split,
        }
    }
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            Fault::Lower(error) => error.fmt(f),
            Fault::Marker(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PrepareError {}
