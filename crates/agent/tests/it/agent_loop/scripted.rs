//! Playing scripts.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use aside_agent::{Loop, LoopError, Outcome, RunReport, Tool};
use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{Conversation, EntryDraft, EntryKind, Part};
use aside_messages::wire::{ContentBlock, ResultContent};
use aside_prompt_sections::{OsKind, Section};
use aside_reminder::{Manager, Reminder, ReminderDelivery, Schedule};
use aside_session::{Git, Session, SessionConfig};
use aside_transport::Replay;
use uuid::Uuid;

use crate::agent_loop::fakes::{offered, tools};
use crate::agent_loop::strict::StrictClient;

/// What surrounds a script.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// Whether a persistent and an ephemeral reminder fire with every second
    /// request.
    pub(crate) reminders: bool,
    /// How many requests were sent before.
    pub(crate) turn: u64,
    /// Sections in addition to the default ones.
    pub(crate) sections: Vec<Section>,
}

impl Default for World {
    fn default() -> Self {
        Self { tools: tools(), reminders: true, turn: 0, sections: Vec::new() }
    }
}

impl World {
    pub(crate) fn session(&self) -> Session {
        let cwd = std::env::temp_dir();
        let memory = Loader::new(Dirs::default()).mode(aside_claudemd::Mode::Off);
        let date = "2026-01-31".parse().unwrap();
        let mut config = SessionConfig::new(cwd, OsKind::Linux, memory, date);
        config.git = Git::Skip;
        config.tools = offered(&self.tools);
        config.turn = self.turn;
        config.sections.clone_from(&self.sections);
        if self.reminders {
            config.reminders = Arc::new(reminders());
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(Session::open(config))
    }

    /// Creates a loop at the start of a session.
    pub(crate) fn start(&self, client: &StrictClient) -> Loop {
        let session = self.session();
        let conversation = session.begin(Uuid::from_u128(7));
        self.continue_with_client(session, conversation, client)
    }

    pub(crate) fn continue_with_client(
        &self,
        session: Session,
        conversation: Conversation,
        client: &StrictClient,
    ) -> Loop {
        Loop::new(session, conversation, Arc::new(client.clone())).with_tools(self.tools.clone())
    }
}

fn reminders() -> Manager {
    let manager = Manager::new();
    let often = Schedule::every_turns(2);
    manager.register(Reminder::new("ephemeral", "EPHEMERAL", often.clone()));
    manager.register(Reminder {
        delivery: ReminderDelivery::Persistent,
        ..Reminder::new("persistent", "PERSISTENT", often)
    });
    manager
}

/// Creates a recording with these responses.
pub(crate) fn cassette(answers: &[&str]) -> Replay {
    let json = format!(r#"{{"version":1,"answers":[{}]}}"#, answers.join(","));
    Replay::parse("the script", &json).unwrap()
}

/// Returns a response that calls tools, each `(id, name)`.
pub(crate) fn calling(calls: &[(&str, &str)]) -> String {
    let calls: Vec<_> = calls
        .iter()
        .map(|(id, name)| {
            format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{{"of":"{id}"}}}}"#)
        })
        .collect();
    let calls = calls.join(",");
    format!(r#"{{"content":[{{"type":"text","text":"Let me look."}},{calls}]}}"#)
}

/// Runs to the end by polling repeatedly.
pub(crate) fn run(agent: &mut Loop) -> Result<RunReport, LoopError> {
    polled(agent.run(), usize::MAX).expect("a run comes to its end")
}

/// Returns a future's output within this many polls; then it is dropped.
pub(crate) fn polled<T>(future: impl Future<Output = T>, polls: usize) -> Option<T> {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..polls.min(100_000) {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
    }
    None
}

/// Appends a prompt and runs.
pub(crate) fn turn(agent: &mut Loop, prompt: &str) -> Outcome {
    agent.push(EntryDraft::human(prompt)).unwrap();
    run(agent).unwrap().outcome
}

/// One entry per line.
pub(crate) fn transcript(conversation: &Conversation) -> Vec<String> {
    let entries = conversation.entries().iter();
    let shown = entries.filter(|entry| {
        !matches!(
            entry.origin,
            aside_messages::conversation::Origin::Context { .. }
                | aside_messages::conversation::Origin::Reminder { .. }
        )
    });
    shown
        .map(|entry| match &entry.kind {
            EntryKind::Message { role } => {
                let parts: Vec<_> = entry.parts.iter().map(part).collect();
                format!("{}: {}", role.as_str(), parts.join(" + "))
            }
            kind => format!("{kind:?}"),
        })
        .collect()
}

fn part(part: &Part) -> String {
    match part {
        Part::Text(text) => text.text.trim().to_owned(),
        Part::Reminder { body } => format!("({})", body.lines().next().unwrap_or_default()),
        Part::ToolUse(call) => format!("{}#{}", call.name, call.id),
        Part::ToolResult(result) => {
            let text = match &result.content {
                ResultContent::Blocks(blocks) => match blocks.first() {
                    Some(ContentBlock::Text(text)) => text.text.to_string(),
                    _ => String::new(),
                },
                ResultContent::Text(text) => text.to_string(),
            };
            let sign = if result.is_error == Some(true) { "!" } else { "=" };
            format!("#{} {sign} {text}", result.tool_use_id)
        }
        Part::Other(other) => other.kind().to_owned(),
        other => format!("{other:?}"),
    }
}

/// Plays a script for one prompt, and compares the conversation.
pub(crate) fn check(answers: &[&str], outcome: &Outcome, expected: &[&str]) -> StrictClient {
    let client = StrictClient::new(cassette(answers));
    let mut agent = World::default().start(&client);
    assert_eq!(turn(&mut agent, "Go"), *outcome);
    assert_eq!(transcript(agent.conversation()), expected);

    // In every case the conversation can continue.
    let (session, conversation) = agent.into_parts();
    let client = client.continue_with(cassette(&[r#"{"content":"On."}"#]));
    let mut agent = World::default().continue_with_client(session, conversation, &client);
    assert_eq!(turn(&mut agent, "And on"), Outcome::Done);
    client
}
