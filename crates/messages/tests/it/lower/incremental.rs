//! Work that a later request does not repeat.

use aside_messages::conversation::{EntryDraft, Part};
use aside_messages::lower::{LowerOptions, Lowerer, Tail};

use crate::lower::generate::{answer, conversation_with, ephemeral};

/// A closed message has the bytes that were sent, at the same address.
#[test]
fn a_message_is_encoded_once() {
    let mut conversation = conversation_with(&[EntryDraft::human("long ".repeat(100))]);
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let sent = lowerer.lower(&conversation, Tail::default()).unwrap();
    let address = sent.tail()[0].bytes().as_ptr();

    // The next request adds a reminder to a copy.
    let reminders = ephemeral(&["R"]);
    let tail = Tail { ephemeral: &reminders, ..Tail::default() };
    let sent = lowerer.lower(&conversation, tail).unwrap();
    assert_ne!(sent.tail()[0].bytes().as_ptr(), address);

    conversation.push(answer(vec![Part::text("short")]));
    conversation.push(EntryDraft::human("next"));
    let sent = lowerer.lower(&conversation, Tail::default()).unwrap();
    let closed = sent.history().messages().next().unwrap();
    assert_eq!(closed.bytes().as_ptr(), address);
}

#[test]
fn a_message_that_grew_is_encoded_again() {
    let mut conversation = conversation_with(&[EntryDraft::human("one")]);
    let mut lowerer = Lowerer::new(LowerOptions::default());
    lowerer.lower(&conversation, Tail::default()).unwrap();
    conversation.push(EntryDraft::human("two"));
    conversation.push(answer(vec![Part::text("x")]));
    conversation.push(EntryDraft::human("three"));
    let sent = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!(
        sent.history().messages().next().unwrap().bytes(),
        br#"{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}"#
    );
}
