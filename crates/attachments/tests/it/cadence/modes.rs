//! Modes, which are told again and again while they last.

use aside_attachments::Attachment;
use aside_attachments::cadence::Circumstances;
use aside_messages::conversation::{EntryDraft, Part};

use super::{Session, answer, call, clear, compact, dated, planning, result};

#[test]
fn a_mode_is_told_every_five_turns() {
    let due = Session::new(planning(true)).turns(28);
    let (full, sparse) = ("plan_mode Full", "plan_mode Sparse");
    assert_eq!(
        dated(&due),
        [
            (1, full),
            (6, sparse),
            (11, sparse),
            (16, sparse),
            (21, sparse),
            (26, full)
        ]
    );
    let auto = Circumstances {
        auto_mode: Some(true),
        ..Circumstances::default()
    };
    let due = Session::new(auto).turns(7);
    assert_eq!(
        dated(&due),
        [(1, "auto_mode Full"), (6, "auto_mode Sparse")]
    );
}

#[test]
fn only_the_human_makes_a_turn_of_the_human() {
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
    session.push(answer(vec![Part::text("done")]));
    // Two words in a row are one turn; words after an abort are another.
    for _ in 0..2 {
        session.push(EntryDraft::human("and this"));
    }
    session.push(EntryDraft::aborted());
    session.push(EntryDraft::human("again"));
    session.push(answer(vec![Part::text("done")]));
    assert_eq!(dated(&session.turns(3)), [(3, "plan_mode Sparse")]);
}

#[test]
fn an_exit_is_told_once_and_begins_anew() {
    let mut session = Session::new(planning(true));
    session.turns(7);
    session.now = planning(false);
    assert_eq!(session.turns(3), ["plan_mode_exit", "", ""]);
    session.now = planning(true);
    assert_eq!(session.turn(), ["plan_mode_reentry", "plan_mode Full"]);
    assert_eq!(dated(&session.turns(5)), [(5, "plan_mode Sparse")]);
    // Where nobody knows, nothing is said.
    session.now = Circumstances::default();
    assert_eq!(session.turn(), [""; 0]);
    session.now = planning(false);
    assert_eq!(session.turn(), ["plan_mode_exit"]);

    let auto = Circumstances {
        auto_mode: Some(true),
        ..Circumstances::default()
    };
    let mut session = Session::new(auto.clone());
    session.turns(2);
    session.now.auto_mode = None;
    assert_eq!(session.turn(), [""; 0]);
    session.now.auto_mode = Some(false);
    assert_eq!(session.turns(2), ["auto_mode_exit", ""]);
    session.now = auto;
    assert_eq!(session.turn(), ["auto_mode Full"]);
}

#[test]
fn a_plan_that_is_not_there_is_not_gone_back_to() {
    let mut session = Session::new(planning(true));
    session.turn();
    session.now = planning(false);
    session.turn();
    session.now = planning(true);
    session.now.plan.as_mut().unwrap().exists = false;
    assert_eq!(session.turn(), ["plan_mode Full"]);
}

#[test]
fn a_boundary_takes_away_what_was_told() {
    let mut session = Session::new(planning(true));
    session.turns(2);
    session.push(compact());
    assert_eq!(session.turns(2), ["plan_mode Full", ""]);
    session.push(compact());
    session.now = planning(false);
    assert_eq!(
        session.turn(),
        ["plan_mode_exit"],
        "the summary may speak of it"
    );
    session.now = planning(true);
    session.turn();
    session.push(clear());
    session.now = planning(false);
    assert_eq!(session.turn(), [""; 0], "nobody knows of it");
}
