//! When an attachment is due, case by case.

mod changes;
mod lists;
mod modes;
mod room;

use aside_attachments::cadence::{CadenceState, Circumstances, Dates, PlanState};
use aside_attachments::{Attachment, NestedMemory};
use aside_messages::conversation::{Boundary, Conversation, EntryDraft, Origin, Part, Visibility};
use aside_messages::wire::Role;
use uuid::Uuid;

/// A session that takes up what is due before each answer, as a harness does.
struct Session {
    conversation: Conversation,
    state: CadenceState,
    seen: usize,
    now: Circumstances,
}

impl Session {
    fn new(now: Circumstances) -> Self {
        Self {
            conversation: Conversation::new(Uuid::nil()),
            state: CadenceState::new(),
            seen: 0,
            now,
        }
    }

    fn push(&mut self, draft: EntryDraft) {
        self.conversation.push(draft);
    }

    /// What is due now, by kind.
    fn due(&mut self) -> Vec<Attachment> {
        let entries = self.conversation.entries();
        self.state.extend(&entries[self.seen..]);
        self.seen = entries.len();
        // A session that is resumed here from disk finds the same due.
        let mut resumed = CadenceState::new();
        resumed.extend(read_back(&self.conversation).entries());
        assert_eq!(resumed, self.state);
        self.state.due(&self.now)
    }

    /// Sends a request: what is due is in it, and stays.
    fn send(&mut self) -> Vec<String> {
        let due = self.due();
        let names = due.iter().map(name).collect();
        for attachment in due {
            for entry in attachment.into_entries() {
                self.push(entry);
            }
        }
        names
    }

    /// A turn of the human with one answer; what was due in it.
    fn turn(&mut self) -> Vec<String> {
        self.push(EntryDraft::human("go on"));
        let due = self.send();
        self.push(answer(vec![Part::text("done")]));
        due
    }

    /// What was due in each of so many turns.
    fn turns(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.turn().join("+")).collect()
    }
}

pub(crate) fn read_back(conversation: &Conversation) -> Conversation {
    let lines = conversation.to_json_lines();
    let read = Conversation::from_json_lines(conversation.id(), &lines);
    read.unwrap().value
}

/// The kind, and how much is said of a mode.
fn name(attachment: &Attachment) -> String {
    let detail = match attachment {
        Attachment::PlanMode(mode) => Some(mode.detail),
        Attachment::AutoMode(mode) => Some(mode.detail),
        _ => None,
    };
    let kind = attachment.kind();
    detail.map_or(kind.to_owned(), |detail| format!("{kind} {detail:?}"))
}

fn answer(parts: Vec<Part>) -> EntryDraft {
    let model = Origin::Model {
        provider: "p".into(),
        name: "m".into(),
    };
    EntryDraft::message(Role::Assistant, model, parts)
}

fn call(tool: &str) -> EntryDraft {
    answer(vec![Part::tool_use("1", tool, "{}")])
}

fn result(text: &str) -> EntryDraft {
    EntryDraft::message(
        Role::User,
        Origin::Human,
        vec![Part::tool_result("1", text)],
    )
}

fn clear() -> EntryDraft {
    EntryDraft::boundary(Boundary::Clear)
}

fn compact() -> EntryDraft {
    let summary = "They went on.".into();
    EntryDraft::boundary(Boundary::Compact { summary })
}

fn planning(is_on: bool) -> Circumstances {
    let plan = PlanState {
        is_on,
        file: "/plan.md".into(),
        exists: true,
    };
    Circumstances {
        plan: Some(plan),
        ..Circumstances::default()
    }
}

fn on(today: &str) -> Circumstances {
    let dates = Dates {
        session: "2026-01-31".into(),
        today: today.into(),
    };
    Circumstances {
        dates: Some(dates),
        ..Circumstances::default()
    }
}

/// What is due in turns that are numbered from 1, by turn.
fn dated(due: &[String]) -> Vec<(usize, &str)> {
    let turns = (1..).zip(due.iter().map(String::as_str));
    turns.filter(|(_, due)| !due.is_empty()).collect()
}

#[test]
fn nothing_is_due_where_nothing_is_offered() {
    assert_eq!(dated(&Session::new(Circumstances::default()).turns(40)), []);
}

#[test]
fn what_is_due_comes_in_a_fixed_order() {
    let mut session = Session::new(Circumstances {
        auto_mode: Some(true),
        nested_memory: vec![NestedMemory {
            path: "/a".into(),
            content: "a".into(),
        }],
        tools: Some(vec!["t".into()]),
        ..planning(true)
    });
    session.now.dates = on("2026-02-01").dates;
    assert_eq!(
        session.turn(),
        [
            "date_change",
            "plan_mode Full",
            "auto_mode Full",
            "nested_memory",
            "tools_delta"
        ]
    );
}

/// Nothing that is only shown to the user counts as told to the model.
#[test]
fn what_the_model_does_not_see_was_not_told() {
    let mut session = Session::new(on("2026-02-01"));
    let entry = session.due().remove(0).into_entries().remove(0);
    session.push(entry.with_visibility(Visibility::DisplayOnly));
    assert_eq!(session.turn(), ["date_change"]);
}

#[test]
fn a_boundary_is_one_whoever_sees_it() {
    let mut session = Session::new(on("2026-02-01"));
    session.turn();
    let boundary = EntryDraft::boundary(Boundary::Clear);
    session.push(boundary.with_visibility(Visibility::DisplayOnly));
    assert_eq!(session.turn(), ["date_change"]);
}
