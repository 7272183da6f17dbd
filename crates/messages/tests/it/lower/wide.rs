//! Conversations with thousands of items: a quadratic algorithm would not end.

use aside_messages::conversation::{EntryDraft, Origin, Part};
use aside_messages::lower::{LowerOptions, Lowerer, Tail};
use aside_messages::{Repair, Source};

use crate::lower::generate::{answer, body, conversation_with, ephemeral, human, lowered};

const MANY: usize = 20_000;

#[test]
fn results_may_come_in_any_order() {
    let calls = (0..MANY).map(|id| Part::tool_use(id.to_string(), "Read", "{}"));
    let results = (1..MANY).rev().map(|id| Part::tool_result(id.to_string(), "x"));
    let conversation = conversation_with(&[
        EntryDraft::human("a"),
        answer(calls.collect()),
        human(results.collect()),
    ]);
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let first = lowerer.lower(&conversation, Tail::default()).unwrap();
    let missing = Repair::MissingResult { tool_use_id: "0".into() };
    assert_eq!(first.diagnostics, [missing]);
    let again = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!(again.diagnostics, []);
}

#[test]
fn many_repairs_are_reported_once() {
    let results = (0..MANY).map(|id| Part::tool_result(id.to_string(), "x"));
    let conversation = conversation_with(&[human(results.collect())]);
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let first = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!(first.diagnostics.len(), MANY);
    let again = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!(again.diagnostics, []);
}

#[test]
fn reminders_of_every_kind_are_found_in_the_bytes() {
    let names: Vec<String> = (0..MANY).map(|id| format!("r{id}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let reminders = ephemeral(&names);
    let folded = (0..MANY).map(|id| EntryDraft::reminder(Origin::Human, format!("f{id}")));
    let mut drafts = vec![
        EntryDraft::human("a"),
        answer(vec![Part::tool_use("1", "Read", "{}")]),
        human(vec![Part::tool_result("1", "out \"é\"")]),
    ];
    drafts.extend(folded);
    let conversation = conversation_with(&drafts);
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let tail = Tail { ephemeral: &reminders, ..Tail::default() };
    let lowered = lowerer.lower(&conversation, tail).unwrap();
    let body = body(&lowered, &[]);
    let json = String::from_utf8(body.to_vec()).unwrap();
    for name in ["r0\\n", "r19999\\n"] {
        let at = json.find(&format!("\\n{name}")).unwrap() + 2;
        let id = name.trim_end_matches("\\n").into();
        assert_eq!(*body.source_at(at), Source::Reminder { id });
    }
    let last = conversation.entries().last().unwrap().id;
    let at = json.find("f19999").unwrap();
    assert_eq!(*body.source_at(at), Source::Entry { id: last, part: 0 });
}

#[test]
fn snips_are_looked_for_once() {
    let mut conversation = conversation_with(&vec![EntryDraft::human("a"); MANY]);
    let ids: Vec<_> = conversation.entries().iter().map(|it| it.id).collect();
    for id in ids {
        conversation.push(EntryDraft::snip(vec![id]));
    }
    conversation.push(EntryDraft::human("b"));
    assert_eq!(lowered(&conversation).len(), 1);
}
