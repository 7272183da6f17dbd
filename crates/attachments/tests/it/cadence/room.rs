//! How much room the conversation takes.

use aside_attachments::cadence::{Circumstances, Window};
use aside_messages::Layer;
use aside_messages::conversation::{EntryDraft, Origin};

use super::{Session, answer, call, compact, dated, result};

#[test]
fn growth_is_counted_since_the_last_word_about_it() {
    let mut session = Session::new(Circumstances {
        snip_tool: true,
        ..Circumstances::default()
    });
    // 3,330 estimated tokens, three of which are just below the limit.
    let long = "word word ".repeat(1_000);
    let big = |session: &mut Session| {
        session.push(EntryDraft::human("go on"));
        session.push(call("Read"));
        session.push(result(&long));
        session.send()
    };
    let context = Origin::Context {
        layer: Layer::Project,
    };
    session.push(EntryDraft::reminder(context, "word ".repeat(50_000)));
    let mut due: Vec<String> = (0..6).map(|_| big(&mut session).join("+")).collect();
    let nudges = due
        .iter()
        .filter(|due| *due == "context_efficiency")
        .count();
    let first = due.iter().position(|it| !it.is_empty()).unwrap();
    assert!(first >= 2, "what is told at the start has not grown");
    assert!(nudges >= 1 && due.len() - nudges >= 4, "{due:?}");
    for reset in [compact(), EntryDraft::snip(vec![])] {
        while big(&mut session).is_empty() {}
        big(&mut session);
        session.push(reset);
        due = (0..first).map(|_| big(&mut session).join("+")).collect();
        assert_eq!(dated(&due), [], "growth begins anew");
    }
}

#[test]
fn the_end_of_the_window_is_told_once() {
    let window = |tokens, largest_answer, before_conversation| {
        let window = Window {
            tokens,
            largest_answer,
            before_conversation,
        };
        Session::new(Circumstances {
            automatic_compaction: Some(window),
            ..Circumstances::default()
        })
    };
    let told = ["compaction_reminder".to_owned()];
    assert_eq!(window(1_008_192, 8_192, 249_999).turn(), told);
    assert_eq!(
        window(1_008_191, 8_192, 900_000).turn(),
        [""; 0],
        "too small"
    );
    assert_eq!(
        window(1_008_192, 8_192, 249_000).turn(),
        [""; 0],
        "too little of it is used"
    );
    assert_eq!(window(0, 9, 9).turn(), [""; 0]);
    assert_eq!(window(u64::MAX, 0, u64::MAX).turn(), told);
    let mut session = window(1_008_192, 8_192, 249_999);
    assert_eq!(dated(&session.turns(5)), [(1, "compaction_reminder")]);
    session.push(compact());
    assert_eq!(dated(&session.turns(5)), []);
}

#[test]
fn what_is_snipped_takes_no_room() {
    let mut session = Session::new(Circumstances {
        automatic_compaction: Some(Window {
            tokens: 1_000_000,
            largest_answer: 0,
            before_conversation: 240_000,
        }),
        ..Circumstances::default()
    });
    session.push(EntryDraft::human("go on"));
    session.push(answer(vec![]));
    session.push(EntryDraft::human("word ".repeat(20_000)));
    assert_eq!(session.due().len(), 1);
    let ids = vec![session.conversation.entries()[2].id];
    session.push(EntryDraft::snip(ids.clone()));
    assert_eq!(session.due().len(), 0);
    session.push(EntryDraft::snip(ids));
    assert_eq!(session.due().len(), 0);
}
