//! Reminders that depend on how large the context is.

use aside_attachments::cadence::Window;
use aside_messages::Layer;
use aside_messages::conversation::{EntryDraft, Origin};

use super::{Session, by_turn, call, compact, inputs, response, result};

#[test]
fn growth_is_counted_since_the_last_reminder() {
    let mut session = Session::new(inputs(|it| it.snip_tool = true));
    // 3,330 estimated tokens: three such texts are just below the limit.
    let long = "word word ".repeat(2_970);
    let big = |session: &mut Session| {
        session.push(EntryDraft::human("continue"));
        session.push(call("Read"));
        session.push(result(&long));
        session.send()
    };
    let context = Origin::Context { layer: Layer::Project };
    session.push(EntryDraft::reminder(context, "word ".repeat(50_000)));
    let mut due: Vec<String> = (0..6).map(|_| big(&mut session).join("+")).collect();
    let nudges = due.iter().filter(|due| *due == "context_efficiency").count();
    let first = due.iter().position(|it| !it.is_empty()).unwrap();
    assert!(first >= 2, "the first entries are no growth");
    assert!(nudges >= 1 && due.len() - nudges >= 4, "{due:?}");
    for reset in [compact(), EntryDraft::snip(vec![])] {
        while big(&mut session).is_empty() {}
        big(&mut session);
        session.push(reset);
        due = (0..first).map(|_| big(&mut session).join("+")).collect();
        assert_eq!(by_turn(&due), [], "growth is reset");
    }
}

#[test]
fn nothing_is_suggested_if_no_message_can_be_removed() {
    let mut session = Session::new(inputs(|it| it.snip_tool = true));
    let grow = |session: &mut Session| {
        session.push(call("Read"));
        session.push(result(&"word ".repeat(20_000)));
        session.send()
    };
    session.push(EntryDraft::human("first"));
    assert_eq!(grow(&mut session), [""; 0]);
    session.push(EntryDraft::human("second"));
    assert_eq!(grow(&mut session), ["context_efficiency"]);
    let first = session.conversation.entries()[0].id;
    session.push(EntryDraft::snip(vec![first]));
    assert_eq!(grow(&mut session), [""; 0]);
    session.push(compact());
    session.push(EntryDraft::human("third"));
    assert_eq!(grow(&mut session), [""; 0]);
    session.push(EntryDraft::human("fourth"));
    assert_eq!(grow(&mut session), ["context_efficiency"]);
}

#[test]
fn a_large_window_is_announced_once() {
    let window = |tokens, max_output_tokens, prefix_tokens| {
        let window = Window { tokens, max_output_tokens, prefix_tokens };
        Session::new(inputs(|it| it.automatic_compaction = Some(window)))
    };
    let due = ["compaction_reminder".to_owned()];
    assert_eq!(window(1_008_192, 8_192, 249_999).turn(), due);
    assert_eq!(
        window(1_000_000, 8_192, 247_952).turn(),
        due,
        "the window counts, and a quarter of what an answer leaves of it"
    );
    assert_eq!(window(999_999, 8_192, 900_000).turn(), [""; 0], "too small");
    assert_eq!(window(1_008_192, 8_192, 249_000).turn(), [""; 0], "too little of it is used");
    assert_eq!(window(0, 9, 9).turn(), [""; 0]);
    assert_eq!(window(u64::MAX, 0, u64::MAX).turn(), due);
    let mut session = window(1_008_192, 8_192, 249_999);
    assert_eq!(by_turn(&session.turns(5)), [(1, "compaction_reminder")]);
    session.push(compact());
    assert_eq!(by_turn(&session.turns(5)), []);
}

#[test]
fn snipped_entries_do_not_count() {
    let mut session = Session::new(inputs(|it| {
        it.automatic_compaction =
            Some(Window { tokens: 1_000_000, max_output_tokens: 0, prefix_tokens: 240_000 });
    }));
    session.push(EntryDraft::human("continue"));
    session.push(response(vec![]));
    session.push(EntryDraft::human("word ".repeat(20_000)));
    assert_eq!(session.due().len(), 1);
    let ids = vec![session.conversation.entries()[2].id];
    session.push(EntryDraft::snip(ids.clone()));
    assert_eq!(session.due().len(), 0);
    session.push(EntryDraft::snip(ids));
    assert_eq!(session.due().len(), 0);
}
