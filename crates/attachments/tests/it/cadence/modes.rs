//! Reminders of modes, repeated while the mode is on.

use aside_attachments::Attachment;
use aside_attachments::cadence::CadenceInputs;
use aside_messages::conversation::{EntryDraft, Part};

use super::{Session, by_turn, call, clear, compact, inputs, planning, response, result};

#[test]
fn a_mode_is_repeated_every_five_turns() {
    let due = Session::new(planning(true)).turns(28);
    let (full, sparse) = ("plan_mode Full", "plan_mode Sparse");
    assert_eq!(
        by_turn(&due),
        [(1, full), (6, sparse), (11, sparse), (16, sparse), (21, sparse), (26, full)]
    );
    let auto = inputs(|it| it.auto_mode = Some(true));
    let due = Session::new(auto).turns(7);
    assert_eq!(by_turn(&due), [(1, "auto_mode Full"), (6, "auto_mode Sparse")]);
}

#[test]
fn only_messages_of_the_user_begin_a_user_turn() {
    let mut session = Session::new(planning(true));
    session.turn();
    for _ in 0..20 {
        session.push(call("Read"));
        session.push(result("text"));
        let queued = r#"{"type":"queued_command","text":"hurry"}"#;
        let queued: Attachment = serde_json::from_str(queued).unwrap();
        session.push(queued.into_entries().remove(0));
        assert_eq!(session.send(), [""; 0]);
    }
    session.push(response(vec![Part::text("done")]));
    // Two messages in a row are one turn; one after an abort begins another.
    for _ in 0..2 {
        session.push(EntryDraft::human("and this"));
    }
    session.push(EntryDraft::aborted());
    session.push(EntryDraft::human("again"));
    session.push(response(vec![Part::text("done")]));
    assert_eq!(by_turn(&session.turns(3)), [(3, "plan_mode Sparse")]);
}

#[test]
fn an_exit_is_sent_once_and_resets_the_count() {
    let mut session = Session::new(planning(true));
    session.turns(7);
    session.inputs = planning(false);
    assert_eq!(session.turns(3), ["plan_mode_exit", "", ""]);
    session.inputs = planning(true);
    assert_eq!(session.turn(), ["plan_mode_reentry", "plan_mode Full"]);
    assert_eq!(by_turn(&session.turns(5)), [(5, "plan_mode Sparse")]);
    // Nothing is due while the mode's state is unknown.
    session.inputs = CadenceInputs::default();
    assert_eq!(session.turn(), [""; 0]);
    session.inputs = planning(false);
    assert_eq!(session.turn(), ["plan_mode_exit"]);

    let auto = inputs(|it| it.auto_mode = Some(true));
    let mut session = Session::new(auto.clone());
    session.turns(2);
    session.inputs.auto_mode = None;
    assert_eq!(session.turn(), [""; 0]);
    session.inputs.auto_mode = Some(false);
    assert_eq!(session.turns(2), ["auto_mode_exit", ""]);
    session.inputs = auto;
    assert_eq!(session.turn(), ["auto_mode Full"]);
}

#[test]
fn reentry_needs_an_existing_plan() {
    let mut session = Session::new(planning(true));
    session.turn();
    session.inputs = planning(false);
    session.turn();
    session.inputs = planning(true);
    session.inputs.plan.as_mut().unwrap().exists = false;
    assert_eq!(session.turn(), ["plan_mode Full"]);
}

#[test]
fn a_boundary_makes_the_mode_due_again() {
    let mut session = Session::new(planning(true));
    session.turns(2);
    session.push(compact());
    assert_eq!(session.turns(2), ["plan_mode Full", ""]);
    session.push(compact());
    session.inputs = planning(false);
    assert_eq!(session.turn(), ["plan_mode_exit"], "the summary may mention it");
    session.inputs = planning(true);
    session.turn();
    session.push(clear());
    session.inputs = planning(false);
    assert_eq!(session.turn(), [""; 0], "the model has never heard of it");
}
