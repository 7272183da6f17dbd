//! The tool to start a worker, in coordinator mode.
//!
//! A worker runs its own loop in the same process, with its own conversation
//! and transcript, the run's tools, and the default prompt. The call
//! returns its last message's text; the coordinator sees nothing else. Workers
//! cannot start workers.
//!
//! ```json
//! {"type": "tool_use", "id": "toolu_1", "name": "Agent", "input": {"prompt": "Review …"}}
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aside_agent::{Client, Loop, Outcome, RunLimits, Tool, ToolFuture, ToolOutput};
use aside_messages::conversation::{Conversation, Part};
use aside_messages::wire::{self, RawJson};
use aside_prompt_sections::Attendance;
use aside_session::{PromptOptions, Session, SessionConfig, SessionState};
use aside_tools::{OwnTools, TodoWrite, Workspace, builtin_tools, edit_tools, worker_definition};
use aside_transcript::{SessionFile, SessionStore, TranscriptError};
use aside_transport::PrefixGate;
use serde::Deserialize;
use uuid::Uuid;

use super::play::reason;
use crate::output;

/// How many requests a worker may send before its call fails.
const MAX_REQUESTS: u64 = 200;

/// The tool. Its calls may run at the same time.
#[derive(Debug)]
pub(super) struct Worker {
    /// Its definition, named by `--worker-tool`.
    definition: wire::Tool,
    /// The parent session's configuration.
    config: SessionConfig,
    /// Which directories workers may use: the same as the session.
    workspace: Arc<Workspace>,
    /// Whether workers may change files: if the session may.
    edits: bool,
    /// The session's client. With a [`PrefixGate`], the first worker writes the
    /// shared prefix to the cache before the others read it.
    client: Arc<dyn Client>,
    /// The session id, used to derive the workers' ids.
    id: Uuid,
    /// Where to write workers' transcripts; `None` to refuse calls.
    store: Option<SessionStore>,
    next: AtomicU64,
}

/// What to pass to a call. An unknown key is an error, for the model to
/// correct.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The task. It must not be blank.
    prompt: String,
}

impl Worker {
    pub(super) fn new(
        name: &str,
        config: &SessionConfig,
        workspace: Arc<Workspace>,
        client: Arc<dyn Client>,
        id: Uuid,
        store: Option<SessionStore>,
    ) -> Self {
        let edits = config.tools.iter().any(|it| it.tool.name == "Edit");
        let mut config = SessionConfig {
            prompt: PromptOptions::default(),
            reminders: Arc::default(),
            state: SessionState::default(),
            tools: OwnTools { edits, ..OwnTools::default() }.definitions(),
            turn: 0,
            ..config.clone()
        };
        config.state.sections.attendance = Some(Attendance::Unattended);
        config.cache.query_source = "agent:worker".to_owned();
        config.lower.tag_ids = false;
        Self {
            definition: worker_definition(name).tool,
            config,
            workspace,
            edits,
            client: Arc::new(PrefixGate::default()).client(client),
            id,
            store,
            next: AtomicU64::new(0),
        }
    }

    /// Returns the next worker's id, which no earlier run in this session used,
    /// and its transcript.
    fn begin(&self, store: &SessionStore) -> Result<(Uuid, SessionFile), TranscriptError> {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let id = Uuid::new_v5(&self.id, format!("worker {number}").as_bytes());
            if !store.path(id).exists() {
                return Ok((id, store.create(id)?));
            }
        }
    }

    /// Runs a worker to its end, and returns its last message as the call's
    /// result.
    ///
    /// When a worker cannot begin, fails, or reaches a limit, the result is an
    /// error with the reason and its last message. Its usage is added to the
    /// session's, even when it failed.
    async fn work(&self, prompt: &str) -> ToolOutput {
        let Some(store) = &self.store else {
            return ToolOutput::error("workers are not started here");
        };
        let (id, log) = match self.begin(store) {
            Ok(begun) => begun,
            Err(error) => return failed(&format!("failed to create its transcript: {error}"), ""),
        };
        output::progress("worker", &id.to_string());
        let session = Session::open(self.config.clone()).await;
        let conversation = session.begin(id);
        // Each worker knows the files that it read itself.
        let workspace = Arc::new(self.workspace.for_another_session());
        let mut tools = builtin_tools(&workspace, TodoWrite::default());
        if self.edits {
            tools.extend(edit_tools(&workspace));
        }
        let mut worker = Loop::new(session, conversation, self.client.clone())
            .with_tools(tools)
            .with_files(workspace)
            .with_limits(RunLimits { turns: Some(MAX_REQUESTS), ..RunLimits::default() })
            .with_journal(log, 0);
        let ran = match worker.task(prompt).await {
            Ok(()) => worker.run().await,
            Err(error) => Err(error),
        };
        let text = last_text(worker.conversation());
        let usage = match &ran {
            Ok(report) => report.spent,
            Err(_) => worker.unreported_usage(),
        };
        let output = match ran.map(|report| report.outcome) {
            Ok(Outcome::Done) if !text.is_empty() => ToolOutput::text(text),
            Ok(Outcome::Done) => ToolOutput::text("The worker ended without a message."),
            Ok(Outcome::Limit(_)) => {
                failed(&format!("it sent the {MAX_REQUESTS} requests that it may send"), &text)
            }
            Ok(outcome) => failed(&reason(&outcome), &text),
            Err(error) => failed(&error.to_string(), &text),
        };
        ToolOutput { delegated: Some(usage).filter(|it| it.requests > 0), ..output }
    }
}

/// Returns an error for the model, with what the worker wrote last.
fn failed(why: &str, text: &str) -> ToolOutput {
    let last = match text {
        "" => String::new(),
        text => format!(" Its last message:\n{text}"),
    };
    ToolOutput::error(format!("The worker did not finish: {why}.{last}"))
}

/// Returns the text in the model's last message.
///
/// An empty line separates text blocks; the text is empty when the model wrote
/// no message.
fn last_text(conversation: &Conversation) -> String {
    let mut entries = conversation.entries().iter().rev();
    let last = entries.find(|entry| entry.kind.is_answer());
    let parts = last.map(|entry| entry.parts.as_slice()).unwrap_or_default();
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(&*text.text),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

impl Tool for Worker {
    fn name(&self) -> &str {
        &self.definition.name
    }

    fn description(&self) -> &str {
        self.definition.description.as_deref().unwrap_or_default()
    }

    fn input_schema(&self) -> RawJson {
        let schema = self.definition.input_schema.clone();
        schema.expect("the definition of a worker has a schema")
    }

    fn is_repeatable(&self) -> bool {
        !self.edits
    }

    fn call<'a>(&'a self, input: &'a RawJson) -> ToolFuture<'a> {
        Box::pin(async move {
            match serde_json::from_str::<Input>(input.get()) {
                Ok(input) if !input.prompt.trim().is_empty() => self.work(&input.prompt).await,
                Ok(_) => ToolOutput::error("prompt: the task of the worker is missing"),
                Err(error) => ToolOutput::error(error.to_string()),
            }
        })
    }
}
