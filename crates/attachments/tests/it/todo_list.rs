//! The TodoWrite list that the model last wrote.

use aside_attachments::cadence::{CadenceState, written_todos};
use aside_attachments::{Attachment, TaskProgress, Todo};
use aside_messages::conversation::{Boundary, Conversation, EntryDraft, Origin, Part, Visibility};
use aside_messages::wire::Role;
use uuid::Uuid;

use crate::cadence::inputs;

fn model(parts: Vec<Part>) -> EntryDraft {
    let model = Origin::Model { provider: "p".into(), name: "m".into() };
    EntryDraft::message(Role::Assistant, model, parts)
}

fn write(id: &str, content: &str) -> Part {
    let input = format!(r#"{{"todos":[{{"content":"{content}","status":"pending"}}]}}"#);
    Part::tool_use(id, "TodoWrite", input)
}

fn results(parts: Vec<Part>) -> EntryDraft {
    EntryDraft::message(Role::User, Origin::Human, parts)
}

fn done(id: &str) -> EntryDraft {
    results(vec![Part::tool_result(id, "The list is kept.")])
}

fn conversation(drafts: Vec<EntryDraft>) -> Conversation {
    let mut conversation = Conversation::new(Uuid::nil());
    for draft in drafts {
        conversation.push(draft);
    }
    conversation
}

/// Checks the list's first item.
fn check(drafts: Vec<EntryDraft>, expected: Option<&str>) {
    let conversation = conversation(drafts);
    let list = written_todos(conversation.entries());
    let first = list.map(|list| list.first().map_or(String::new(), |it| it.content.clone()));
    assert_eq!(first.as_deref(), expected, "{:?}", conversation.entries());
}

#[test]
fn the_last_successful_call_counts() {
    let a = || vec![model(vec![write("1", "a")]), done("1")];
    let and = |more: Vec<EntryDraft>| [a(), more].concat();
    let summary = "The build was fixed.".into();
    check(vec![], None);
    check(a(), Some("a"));
    check(and(vec![model(vec![write("2", "b")]), done("2")]), Some("b"));
    // A call without a result, or with an error, wrote nothing.
    check(and(vec![model(vec![write("2", "b")])]), Some("a"));
    let failed = results(vec![Part::tool_error("2", "no")]);
    check(and(vec![model(vec![write("2", "b")]), failed]), Some("a"));
    check(and(vec![model(vec![write("2", "b")]), model(vec![]), done("3")]), Some("a"));
    // Several calls in one response, with their results one by one.
    check(
        vec![model(vec![write("1", "a")]), model(vec![write("2", "b")]), done("1"), done("2")],
        Some("b"),
    );
    // A result after a later response does not belong to an earlier call.
    check(
        vec![
            model(vec![write("1", "a")]),
            EntryDraft::aborted(),
            EntryDraft::human("continue"),
            model(vec![]),
            done("1"),
        ],
        None,
    );
    // A call that the model does not see.
    let shown = model(vec![write("2", "b")]).with_visibility(Visibility::DisplayOnly);
    check(and(vec![shown, done("2")]), Some("a"));
    let boundary = EntryDraft::boundary;
    check(and(vec![boundary(Boundary::Compact { summary })]), Some("a"));
    check(and(vec![boundary(Boundary::Clear)]), None);
}

#[test]
fn an_input_of_another_form_is_no_list() {
    let written = |input: &str| {
        let call = Part::tool_use("1", "TodoWrite", input);
        vec![model(vec![call]), done("1")]
    };
    let more = r#"{"todos":[{"content":"a","status":"pending","activeForm":"b"}],"merge":true}"#;
    check(written(more), Some("a"));
    check(written(r#"{"todos":[]}"#), Some(""));
    for other in ["", "{}", r#"{"todos":7}"#, r#"{"todos":[{"content":"a"}]}"#] {
        check(written(other), None);
    }
    let elsewhere = Part::tool_use("1", "Read", r#"{"todos":[]}"#);
    check(vec![model(vec![elsewhere]), done("1")], None);
}

#[test]
fn the_reminder_has_the_written_list() {
    let todo = |content: &str| Todo { content: content.into(), status: TaskProgress::Pending };
    let now = inputs(|it| it.todos = Some(vec![todo("given")]));
    let turns = |mut drafts: Vec<EntryDraft>| {
        for _ in 0..10 {
            drafts.push(EntryDraft::human("continue"));
            drafts.push(model(vec![Part::text("done")]));
        }
        let mut state = CadenceState::new();
        state.extend(conversation(drafts).entries());
        match state.due(&now).remove(0) {
            Attachment::TodoReminder(reminder) => reminder.todos,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(turns(vec![]), [todo("given")]);
    assert_eq!(turns(vec![model(vec![write("1", "written")]), done("1")]), [todo("written")]);
    let emptied = Part::tool_use("1", "TodoWrite", r#"{"todos":[]}"#);
    assert_eq!(turns(vec![model(vec![emptied]), done("1")]), []);
}
