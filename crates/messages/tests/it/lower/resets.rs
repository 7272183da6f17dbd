//! Prefix resets: their reasons, and the bytes that must not change.

use aside_messages::Layer;
use aside_messages::conversation::{Boundary, Conversation, EntryDraft, Origin, Part, Visibility};
use aside_messages::lower::{LowerOptions, Lowerer, PrefixReset, Tail, lower};
use aside_messages::wire::ToolResult;

use crate::lower::generate::{
    answer, body, conversation_with, human, image, lines, offering, other,
};

fn at_most(media_limit: usize) -> LowerOptions {
    LowerOptions { media_limit, ..LowerOptions::default() }
}

fn images(conversation: &Conversation, options: &LowerOptions) -> usize {
    let lowered = lower(conversation, Tail::default(), options).unwrap();
    lines(&lowered).matches("\"image\"").count()
}

#[test]
fn a_snip_does_not_bring_old_images_back() {
    let mut conversation = conversation_with(&[
        human(vec![image().into(), image().into()]),
        answer(vec![Part::text("x")]),
        EntryDraft::human("gone"),
    ]);
    let gone = conversation.entries()[2].id;
    conversation.push(EntryDraft::snip(vec![gone]));
    conversation.push(human(vec![image().into()]));
    assert_eq!(images(&conversation, &at_most(2)), 2);
}

#[test]
fn images_that_were_pending_and_never_came_replace_none() {
    let conversation = conversation_with(&[human(vec![image().into()])]);
    let mut lowerer = Lowerer::new(at_most(1));
    let pending = [human(vec![image().into()])];
    let tail = Tail { pending: &pending, ..Tail::default() };
    lowerer.lower(&conversation, tail).unwrap();
    let after = lowerer.lower(&conversation, Tail::default()).unwrap();
    let whole = lower(&conversation, Tail::default(), &at_most(1)).unwrap();
    assert_eq!(lines(&after), lines(&whole));
    assert_eq!(after.reset, Some(PrefixReset::MediaLimit));
}

#[test]
fn a_repair_is_reported_once_when_lowering_restarts() {
    let conversation = conversation_with(&[
        human(vec![image().into(), Part::tool_result("none", "x")]),
        answer(vec![Part::text("x")]),
        human(vec![image().into()]),
    ]);
    let lowered = lower(&conversation, Tail::default(), &at_most(1)).unwrap();
    assert_eq!(lowered.diagnostics.len(), 1);
}

fn compacted() -> Conversation {
    conversation_with(&[EntryDraft::boundary(Boundary::Compact { summary: "sum".into() })])
}

#[test]
fn context_before_a_summary_is_named() {
    let context = EntryDraft::reminder(Origin::Context { layer: Layer::Project }, "C");
    let shown = EntryDraft::human("s").with_visibility(Visibility::DisplayOnly);
    let mut conversation = compacted();
    let mut lowerer = Lowerer::new(LowerOptions::default());
    lowerer.lower(&conversation, Tail::default()).unwrap();
    conversation.push(shown);
    conversation.push(context);
    let lowered = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!(lowered.reset, Some(PrefixReset::Boundary));
}

#[test]
fn a_tool_that_went_while_a_result_was_pending_is_named() {
    let reference = other(r#"{"type":"tool_reference","tool_name":"Read"}"#);
    let result = Part::ToolResult(ToolResult::new("1", vec![reference]));
    let pending = [human(vec![result])];
    let mut conversation = conversation_with(&[
        EntryDraft::human("a"),
        answer(vec![Part::tool_use("1", "Search", "{}")]),
    ]);
    let mut lowerer = Lowerer::new(offering(&["Read"]));
    let tail = Tail { pending: &pending, ..Tail::default() };
    let first = body(&lowerer.lower(&conversation, tail).unwrap(), &[]).stable_prefix();
    lowerer.set_options(offering(&[]));
    for draft in pending {
        conversation.push(draft);
    }
    let second = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert!(!body(&second, &[]).to_vec().starts_with(&first));
    assert_eq!(second.reset, Some(PrefixReset::Tools));
}
