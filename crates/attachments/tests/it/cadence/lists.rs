//! Reminders of task lists that the model has not used for a while.

use aside_attachments::cadence::CadenceInputs;
use aside_messages::conversation::{EntryDraft, Part, Visibility};

use super::{Session, by_turn, call, inputs, response, result};

fn with_todos() -> CadenceInputs {
    inputs(|it| it.todos = Some(vec![]))
}

#[test]
fn a_reminder_is_due_after_ten_responses() {
    let due = Session::new(with_todos()).turns(25);
    assert_eq!(by_turn(&due), [(11, "todo_reminder"), (21, "todo_reminder")]);
    let tasks = inputs(|it| it.tasks = Some(vec![]));
    assert_eq!(by_turn(&Session::new(tasks).turns(12)), [(11, "task_reminder")]);
}

#[test]
fn use_of_the_list_postpones_the_reminder() {
    for (tool, kind) in [
        ("TodoWrite", "todo_reminder"),
        ("TaskUpdate", "task_reminder"),
        ("TaskCreate", "task_reminder"),
    ] {
        let mut both = with_todos();
        both.tasks = Some(vec![]);
        let mut session = Session::new(both);
        session.turns(5);
        session.push(EntryDraft::human("continue"));
        session.push(call(tool));
        session.push(result("ok"));
        // The response after the call is the first of ten.
        let due = session.turns(11);
        let of_list: Vec<_> =
            by_turn(&due).into_iter().filter(|(_, due)| due.contains(kind)).collect();
        assert_eq!(of_list, [(11, kind)], "{tool}");
    }
}

#[test]
fn a_response_of_several_entries_is_counted_once() {
    let mut session = Session::new(with_todos());
    session.push(EntryDraft::human("continue"));
    for _ in 0..30 {
        session.push(response(vec![Part::text("a piece")]));
        session.push(response(vec![]).with_visibility(Visibility::DisplayOnly));
    }
    assert_eq!(by_turn(&session.turns(10)), [(10, "todo_reminder")]);
}
