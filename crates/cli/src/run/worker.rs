//! The tool that starts a worker, in coordinator mode.
//!
//! A worker is a loop of its own in the same process: with its own conversation and
//! transcript, the tools that read, and the default prompt. The call returns the text of
//! its last message; the coordinator sees nothing else of it. Workers cannot start
//! workers.
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
use aside_tools::{OwnTools, TodoWrite, Workspace, builtin_tools, worker_definition};
use aside_transcript::{SessionFile, SessionStore, TranscriptError};
use aside_transport::PrefixGate;
use serde::Deserialize;
use uuid::Uuid;

use crate::output;

/// The maximum number of requests of one worker, after which its call fails.
const MAX_REQUESTS: u64 = 200;

/// The tool, whose calls may run at the same time.
#[derive(Debug)]
pub(super) struct Worker {
    /// Its definition, with the name that `--worker-tool` gives it.
    definition: wire::Tool,
    /// The configuration of the session that starts the workers.
    config: SessionConfig,
    /// The directories that workers may read, those of the session.
    workspace: Arc<Workspace>,
    /// The client of the session. Behind a [`PrefixGate`], the first of several workers
    /// writes the shared prefix to the cache before the others read it.
    client: Arc<dyn Client>,
    /// The id of that session; those of the workers follow from it.
    id: Uuid,
    /// The place of the transcripts of workers; `None` without transcripts.
    store: Option<SessionStore>,
    /// The next number of a worker.
    next: AtomicU64,
}

/// The input of a call. A further key is an error, which the model can correct.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The task, which may not be blank.
    prompt: String,
}

impl Worker {
    /// Creates the tool. Workers have the directories, the model and the
    /// instruction files of the session, the default prompt, and no reminders.
    /// Each writes a transcript of its own to `store`.
    pub(super) fn new(
        name: &str,
        config: &SessionConfig,
        workspace: Arc<Workspace>,
        client: Arc<dyn Client>,
        id: Uuid,
        store: Option<SessionStore>,
    ) -> Self {
        let mut config = SessionConfig {
            prompt: PromptOptions::default(),
            reminders: Arc::default(),
            state: SessionState::default(),
            tools: OwnTools::default().definitions(),
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
            client: Arc::new(PrefixGate::default()).client(client),
            id,
            store,
            next: AtomicU64::new(0),
        }
    }

    /// Returns the id of the next worker, which no earlier run of the session
    /// used, and its transcript.
    fn begin(&self) -> Result<(Uuid, Option<SessionFile>), TranscriptError> {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let id = Uuid::new_v5(&self.id, format!("worker {number}").as_bytes());
            let Some(store) = &self.store else {
                return Ok((id, None));
            };
            if !store.path(id).exists() {
                return Ok((id, Some(store.create(id)?)));
            }
        }
    }

    /// Runs a worker to its end, and returns its last message as the result of the call.
    ///
    /// A worker that cannot begin, fails, or reaches a limit is an error with the reason
    /// and its last message. The usage is added to that of the session, also if the
    /// worker failed.
    async fn work(&self, prompt: &str) -> ToolOutput {
        let (id, log) = match self.begin() {
            Ok(begun) => begun,
            Err(error) => return failed(&format!("failed to create its transcript: {error}"), ""),
        };
        output::progress("worker", &id.to_string());
        let session = Session::open(self.config.clone()).await;
        let conversation = session.begin(id);
        let tools = builtin_tools(&self.workspace, TodoWrite::default());
        let mut worker = Loop::new(session, conversation, self.client.clone())
            .with_tools(tools)
            .with_files(self.workspace.clone())
            .with_limits(RunLimits {
                turns: Some(MAX_REQUESTS),
                ..RunLimits::default()
            });
        if let Some(log) = log {
            worker = worker.with_journal(log, 0);
        }
        let ran = match worker.prompt(prompt).await {
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
            Ok(outcome) => failed(&format!("{outcome:?}"), &text),
            Err(error) => failed(&error.to_string(), &text),
        };
        ToolOutput {
            delegated: Some(usage).filter(|it| it.requests > 0),
            ..output
        }
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

/// Returns the text of the last message of the model.
///
/// Text blocks are separated by an empty line; the text is empty if there is no message
/// of the model.
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
