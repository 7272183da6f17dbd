//! Lists that the model has not used for a while.

use aside_attachments::cadence::Circumstances;
use aside_messages::conversation::{EntryDraft, Part, Visibility};

use super::{Session, answer, call, dated, result};

fn with_todos() -> Circumstances {
    Circumstances {
        todos: Some(vec![]),
        ..Circumstances::default()
    }
}

#[test]
fn a_list_comes_to_mind_after_ten_answers() {
    let due = Session::new(with_todos()).turns(25);
    assert_eq!(dated(&due), [(11, "todo_reminder"), (21, "todo_reminder")]);
    let tasks = Circumstances {
        tasks: Some(vec![]),
        ..Circumstances::default()
    };
    assert_eq!(
        dated(&Session::new(tasks).turns(12)),
        [(11, "task_reminder")]
    );
}

#[test]
fn a_list_that_is_used_does_not_come_to_mind() {
    for (tool, kind) in [
        ("TodoWrite", "todo_reminder"),
        ("TaskUpdate", "task_reminder"),
        ("TaskCreate", "task_reminder"),
    ] {
        let mut session = Session::new(Circumstances {
            tasks: Some(vec![]),
            ..with_todos()
        });
        session.turns(5);
        session.push(EntryDraft::human("go on"));
        session.push(call(tool));
        session.push(result("ok"));
        // The answer after the call is the first one of ten.
        let due = session.turns(11);
        let of_list: Vec<_> = dated(&due)
            .into_iter()
            .filter(|(_, due)| due.contains(kind))
            .collect();
        assert_eq!(of_list, [(11, kind)], "{tool}");
    }
}

#[test]
fn an_answer_is_counted_once() {
    let mut session = Session::new(with_todos());
    session.push(EntryDraft::human("go on"));
    for _ in 0..30 {
        session.push(answer(vec![Part::text("a piece")]));
        session.push(answer(vec![]).with_visibility(Visibility::DisplayOnly));
    }
    assert_eq!(dated(&session.turns(10)), [(10, "todo_reminder")]);
}
