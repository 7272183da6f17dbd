//! Sessions to replay.

use std::path::Path;
use std::sync::Arc;

use aside_cache_split::Layout;
use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::{Extra, RawJson, Request, Role, Thinking, Tool};
use aside_prompt_sections::OsKind;
use aside_reminder::{Manager, Reminder, Schedule};
use aside_session::{Git, Session, SessionConfig, SessionTool, ToolOrigin};
use proptest::prelude::*;
use uuid::Uuid;

use crate::support::run;

/// What happens between two requests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    /// The model responds, and the user sends a message.
    Talk,
    /// The model calls this many tools at once.
    Tools(usize),
    /// The model thinks, and calls a tool.
    Think,
    /// The model calls a tool, and the harness adds a persistent text.
    Delivered,
    /// The model calls a tool, and the user sends a message meanwhile.
    Interrupted,
}

/// How each turn's reminder is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// Delivered once and kept.
    Persistent,
    /// In one request only.
    Ephemeral,
}

/// Generates sixty turns of any kind.
pub(crate) fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn = prop_oneof![
        Just(Turn::Talk),
        (1..=18usize).prop_map(Turn::Tools),
        Just(Turn::Tools(18)),
        Just(Turn::Think),
        Just(Turn::Delivered),
        Just(Turn::Interrupted),
    ];
    proptest::collection::vec(turn, 60)
}

pub(crate) fn config(cwd: &Path, layout: Layout) -> SessionConfig {
    let date = "2026-01-31".parse().unwrap();
    let memory = Loader::new(Dirs::default());
    let tool = |name: &str| SessionTool {
        origin: ToolOrigin::Builtin,
        tool: Tool::new(name, "Does it.", RawJson::parse(r#"{"type":"object"}"#).unwrap()),
    };
    SessionConfig {
        layout,
        git: Git::Skip,
        tools: vec![tool("Grep"), tool("Read")],
        ..SessionConfig::new(cwd.to_owned(), OsKind::Linux, memory, date)
    }
}

/// Returns every request in a session with these turns.
pub(crate) fn play(layout: Layout, delivery: Delivery, turns: &[Turn]) -> Vec<Request> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("CLAUDE.md"), "Use tabs.").unwrap();
    let mut config = config(directory.path(), layout);
    let reminders = Manager::new();
    if delivery == Delivery::Ephemeral {
        reminders.register(Reminder::new("careful", "Be careful.", Schedule::ALWAYS));
    }
    config.reminders = Arc::new(reminders);
    let mut session = run(Session::open(config));
    let mut conversation = session.begin(Uuid::nil());
    conversation.push(EntryDraft::human("Explain the build"));
    let mut requests = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        let mut prepared = session.prepare(&conversation).unwrap();
        requests.push(prepared.request());
        prepared.commit(&mut conversation);
        turn.happen(number, &mut conversation);
    }
    requests
}

impl Turn {
    fn happen(self, number: usize, conversation: &mut Conversation) {
        match self {
            Self::Talk => {
                conversation.push(answer(vec![Part::text(format!("Answer {number}."))]));
                conversation.push(EntryDraft::human(format!("Question {number}?")));
            }
            Self::Tools(width) => call(number, width, None, conversation),
            Self::Think => {
                let thinking = Thinking {
                    thinking: format!("Thought {number}.").into(),
                    signature: "s".into(),
                    extra: Extra::default(),
                };
                call(number, 1, Some(Part::Thinking(thinking)), conversation);
            }
            Self::Delivered => {
                call(number, 2, None, conversation);
                let hook = Origin::Hook { name: "hook".into() };
                let text = format!("There are {number} tasks.");
                conversation.push(EntryDraft::reminder(hook, text));
            }
            Self::Interrupted => {
                call(number, 1, None, conversation);
                conversation.push(EntryDraft::human(format!("Also {number}.")));
            }
        }
    }
}

fn answer(parts: Vec<Part>) -> EntryDraft {
    let model = Origin::Model { provider: "p".into(), name: "m".into() };
    EntryDraft::message(Role::Assistant, model, parts)
}

fn call(number: usize, width: usize, first: Option<Part>, conversation: &mut Conversation) {
    let id = |index: usize| format!("toolu_{number}_{index}");
    let mut parts: Vec<Part> = first.into_iter().collect();
    parts.extend((0..width).map(|index| Part::tool_use(id(index), "Read", "{}")));
    conversation.push(answer(parts));
    let result = |index| Part::tool_result(id(index), format!("result {number}.{index}"));
    let results = (0..width).map(result).collect();
    let results = EntryDraft::message(Role::User, Origin::Human, results);
    conversation.push(results);
}
