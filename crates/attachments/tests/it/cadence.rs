//! When attachments are due, case by case.

mod announcements;
mod context;
mod lists;
mod modes;
mod sections;

use aside_attachments::cadence::{CadenceInputs, CadenceState, Dates, PlanState};
use aside_attachments::{Attachment, NestedMemory};
use aside_messages::conversation::{Boundary, Conversation, EntryDraft, Origin, Part, Visibility};
use aside_messages::wire::Role;
use uuid::Uuid;

/// A session that sends the due attachments before each response.
struct Session {
    conversation: Conversation,
    state: CadenceState,
    seen: usize,
    inputs: CadenceInputs,
}

impl Session {
    fn new(inputs: CadenceInputs) -> Self {
        Self {
            conversation: Conversation::new(Uuid::nil()),
            state: CadenceState::new(),
            seen: 0,
            inputs,
        }
    }

    fn push(&mut self, draft: EntryDraft) {
        self.conversation.push(draft);
    }

    fn due(&mut self) -> Vec<Attachment> {
        let entries = self.conversation.entries();
        self.state.extend(&entries[self.seen..]);
        self.seen = entries.len();
        // A session resumed from disk at this point has the same state.
        let mut resumed = CadenceState::new();
        resumed.extend(read_back(&self.conversation).entries());
        assert_eq!(resumed, self.state);
        self.state.due(&self.inputs)
    }

    /// Sends a request with the due attachments, and returns their names.
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

    /// Runs a user turn with one response, and returns what was due.
    fn turn(&mut self) -> Vec<String> {
        self.push(EntryDraft::human("continue"));
        let due = self.send();
        self.push(response(vec![Part::text("done")]));
        due
    }

    /// Runs several user turns, and returns what was due in each.
    fn turns(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.turn().join("+")).collect()
    }
}

pub(crate) fn inputs(set: impl FnOnce(&mut CadenceInputs)) -> CadenceInputs {
    let mut inputs = CadenceInputs::default();
    set(&mut inputs);
    inputs
}

pub(crate) fn read_back(conversation: &Conversation) -> Conversation {
    let lines = conversation.to_json_lines();
    let read = Conversation::from_json_lines(conversation.id(), &lines);
    read.unwrap().value
}

/// Returns the kind, and how long the text about a mode is.
fn name(attachment: &Attachment) -> String {
    let detail = match attachment {
        Attachment::PlanMode(mode) => Some(mode.detail),
        Attachment::AutoMode(mode) => Some(mode.detail),
        _ => None,
    };
    let kind = attachment.kind();
    detail.map_or(kind.to_owned(), |detail| format!("{kind} {detail:?}"))
}

fn response(parts: Vec<Part>) -> EntryDraft {
    let model = Origin::Model { provider: "p".into(), name: "m".into() };
    EntryDraft::message(Role::Assistant, model, parts)
}

fn call(tool: &str) -> EntryDraft {
    response(vec![Part::tool_use("1", tool, "{}")])
}

fn result(text: &str) -> EntryDraft {
    EntryDraft::message(Role::User, Origin::Human, vec![Part::tool_result("1", text)])
}

fn clear() -> EntryDraft {
    EntryDraft::boundary(Boundary::Clear)
}

fn compact() -> EntryDraft {
    let summary = "The build was fixed.".into();
    EntryDraft::boundary(Boundary::Compact { summary })
}

fn planning(is_on: bool) -> CadenceInputs {
    let plan = PlanState { is_on, file: Some("/plan.md".into()), exists: true };
    inputs(|it| it.plan = Some(plan))
}

fn on(today: &str) -> CadenceInputs {
    let dates = Dates { session: "2026-01-31".into(), today: today.into() };
    inputs(|it| it.dates = Some(dates))
}

/// Returns the turns in which something was due, numbered from 1.
fn by_turn(due: &[String]) -> Vec<(usize, &str)> {
    let turns = (1..).zip(due.iter().map(String::as_str));
    turns.filter(|(_, due)| !due.is_empty()).collect()
}

#[test]
fn nothing_is_due_by_default() {
    assert_eq!(by_turn(&Session::new(CadenceInputs::default()).turns(40)), []);
}

#[test]
fn attachments_are_due_in_a_fixed_order() {
    let mut all = planning(true);
    all.auto_mode = Some(true);
    all.nested_memory = vec![NestedMemory {
        path: "/a".into(),
        content: "a".into(),
        before: None,
        is_unused: false,
    }];
    all.tools = Some(vec!["t".into()]);
    all.dates = on("2026-02-01").dates;
    let mut session = Session::new(all);
    assert_eq!(
        session.turn(),
        ["date_change", "plan_mode Full", "auto_mode Full", "nested_memory", "tools_delta"]
    );
}

#[test]
fn an_entry_only_for_the_user_does_not_count_as_sent() {
    let mut session = Session::new(on("2026-02-01"));
    let entry = session.due().remove(0).into_entries().remove(0);
    session.push(entry.with_visibility(Visibility::DisplayOnly));
    assert_eq!(session.turn(), ["date_change"]);
}

#[test]
fn the_visibility_of_a_boundary_does_not_matter() {
    let mut session = Session::new(on("2026-02-01"));
    session.turn();
    let boundary = EntryDraft::boundary(Boundary::Clear);
    session.push(boundary.with_visibility(Visibility::DisplayOnly));
    assert_eq!(session.turn(), ["date_change"]);
}
