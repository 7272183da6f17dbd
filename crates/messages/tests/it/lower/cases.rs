//! Single cases, most of them found by looking hard.

use aside_messages::conversation::{Conversation, EntryDraft, Part};
use aside_messages::encode::{BlockRef, Encoded, Marker};
use aside_messages::lower::{LowerOptions, Lowerer, PrefixReset, Tail, lower};
use aside_messages::wire::{
    CacheControl, ContentBlock, Message, ResultContent, Role, ToolResult, Ttl,
};
use aside_messages::{BlockSource, Layer, Repair, Source};
use uuid::Uuid;

use crate::lower::generate::{
    answer, block, conversation_with, ephemeral, human, lines, lowered, other, request,
};

/// Lowers the result of a tool call with ephemeral reminders.
fn with_reminders(parts: Vec<Part>, bodies: &[&str]) -> String {
    let call = answer(vec![Part::tool_use("a", "Read", "{}")]);
    let drafts = [EntryDraft::human("first"), call, human(parts)];
    let reminders = ephemeral(bodies);
    let tail = Tail { ephemeral: &reminders, ..Tail::default() };
    let lowered = lower(&conversation_with(&drafts), tail, &LowerOptions::default()).unwrap();
    lines(&lowered).lines().last().unwrap().to_owned()
}

#[test]
fn an_ephemeral_reminder_does_not_join_another_reminder() {
    let parts = vec![Part::tool_result("a", "out"), Part::Reminder { body: "H".into() }];
    assert_eq!(
        with_reminders(parts, &["R", "S"]),
        concat!(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":["#,
            r#"{"type":"text","text":"out\n<system-reminder>\nR\n</system-reminder>\n<system-reminder>\nS\n</system-reminder>"},"#,
            r#"{"type":"text","text":"<system-reminder>\nH\n</system-reminder>"}]}]}"#,
        )
    );
    let parts =
        vec![Part::ToolResult(ToolResult::new("a", vec![])), Part::Reminder { body: "H".into() }];
    assert!(
        with_reminders(parts, &["R"])
            .contains(r#"H\n</system-reminder>"},{"type":"text","text":"<system-reminder>\nR"#)
    );
}

#[test]
fn a_blank_answer_is_nothing_to_answer() {
    let drafts = [EntryDraft::human("a"), answer(vec![Part::text(" ")])];
    assert!(lower(&conversation_with(&drafts), Tail::default(), &LowerOptions::default()).is_err());
}

#[test]
fn repairs_are_reported_even_without_a_request() {
    let call = Part::tool_use("1", "Read", "{\"a\":");
    let mut conversation = Conversation::new(Uuid::nil());
    conversation.push(EntryDraft::human("a"));
    conversation.push(answer(vec![call]));
    let mut lowerer = Lowerer::new(LowerOptions::default());
    assert!(lowerer.lower(&conversation, Tail::default()).is_err());
    let result = vec![Part::tool_result("1", "out")];
    conversation.push(human(result));
    assert_eq!(lowerer.lower(&conversation, Tail::default()).unwrap().diagnostics.len(), 1);
}

#[test]
fn an_input_is_sent_as_a_reader_repairs_it() {
    #[track_caller]
    fn check(input: &str, sent: &str, expected: &[&str]) {
        let call = Part::tool_use("1", "Read", input);
        let result = human(vec![Part::tool_result("1", "out")]);
        let drafts = [EntryDraft::human("a"), answer(vec![call]), result];
        let conversation = conversation_with(&drafts);
        let lines = conversation.to_json_lines();
        let read = Conversation::from_json_lines(Uuid::nil(), &lines).unwrap();
        for conversation in [conversation, read.value] {
            let lowered = lowered(&conversation);
            let ContentBlock::ToolUse(call) = &request(&lowered).messages[1].content[0] else {
                panic!("no call");
            };
            assert_eq!(call.input.get(), sent);
            let repairs: Vec<_> = lowered.diagnostics.iter().map(ToString::to_string).collect();
            assert_eq!(repairs, expected);
        }
        assert_eq!(read.diagnostics, []);
    }
    check(" {\"a\":\n1} ", "{\"a\":\n1}", &[]);
    check(r#"{"a":"\ud83d\ude00"}"#, r#"{"a":"\ud83d\ude00"}"#, &[]);
    let half = "tool call 1: input.a: a lone surrogate became U+FFFD";
    check(r#"{"a":"\ud83d"}"#, r#"{"a":"\ufffd"}"#, &[half]);
    let doubled = "tool call 1: input.a: written twice: the last one is kept";
    check(r#"{"a":1,"a":2}"#, r#"{"a":2}"#, &[doubled]);
    let key = "tool call 1: input.\u{FFFD}: ";
    check(
        r#"{"\ud800":1,"\ud801":2}"#,
        r#"{"\ufffd":2}"#,
        &[
            &format!("{key}a lone surrogate became U+FFFD"),
            &format!("{key}a lone surrogate became U+FFFD"),
            &format!("{key}written twice: the last one is kept"),
        ],
    );
}

#[test]
fn results_of_server_tools_are_neutralized() {
    let page = other(r#"{"type":"web_fetch_tool_result","content":"</system-reminder>"}"#);
    let parts = vec![page.into(), Part::text("the tag </system-reminder>")];
    let drafts = [EntryDraft::human("a"), answer(parts), EntryDraft::human("b")];
    assert_eq!(
        lines(&lowered(&conversation_with(&drafts))).lines().nth(1).unwrap(),
        concat!(
            r#"{"role":"assistant","content":"#,
            r#"[{"type":"web_fetch_tool_result","content":"&lt;/system-reminder>"},"#,
            r#"{"type":"text","text":"the tag </system-reminder>"}]}"#,
        )
    );
}

#[test]
fn markers_of_the_caller_are_kept_apart_from_the_bytes() {
    let marked = r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}}"#;
    let other = r#"{"type":"x","cache_control":{"type":"ephemeral"},"a": 1}"#;
    let drafts = [
        human(vec![block(marked).into()]),
        answer(vec![Part::text("b")]),
        human(vec![block(other).into(), block(marked).into()]),
    ];
    let lowered = lowered(&conversation_with(&drafts));
    assert!(!lines(&lowered).contains("cache_control"));
    assert!(lines(&lowered).contains(r#"{"type":"x","a":1}"#));
    let hour = CacheControl::lasting(Ttl::OneHour);
    let marker =
        |message, block, control| Marker { at: BlockRef::Message { message, block }, control };
    assert_eq!(
        lowered.caller_markers().collect::<Vec<_>>(),
        [marker(0, 0, hour.clone()), marker(2, 0, CacheControl::EPHEMERAL), marker(2, 1, hour),]
    );
}

#[test]
fn a_marker_inside_a_tool_result_is_removed_and_reported() {
    let marked = r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}"#;
    let result = ToolResult::new("1", vec![block(marked)]);
    let drafts = [
        EntryDraft::human("a"),
        answer(vec![Part::tool_use("1", "Read", "{}")]),
        human(vec![Part::ToolResult(result)]),
    ];
    let lowered = lowered(&conversation_with(&drafts));
    assert!(!lines(&lowered).contains("cache_control"));
    assert!(matches!(lowered.diagnostics[..], [Repair::Marker { part: 0, .. }]));
}

#[test]
fn another_conversation_is_a_fork() {
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let mut one = Conversation::new(Uuid::from_u128(1));
    one.push(EntryDraft::human("one"));
    assert_eq!(lowerer.lower(&one, Tail::default()).unwrap().reset, None);
    // Both conversations have the same id.
    let mut two = Conversation::new(Uuid::from_u128(1));
    two.push(EntryDraft::human("two"));
    let lowered = lowerer.lower(&two, Tail::default()).unwrap();
    assert_eq!(lowered.reset, Some(PrefixReset::Forked));
    assert_eq!(lowered.len(), 1);
}

#[test]
fn a_block_of_a_result_stays_a_block() {
    let result =
        ToolResult { content: ResultContent::Text("x".into()), ..ToolResult::new("a", Vec::new()) };
    let message = Message::new(Role::User, vec![ContentBlock::ToolResult(result)]);
    let source = BlockSource::new(Source::Envelope, Layer::Conversation);
    let encoded = Encoded::message(message, vec![source]);
    assert_eq!(
        String::from_utf8(encoded.bytes().to_vec()).unwrap(),
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}"#
    );
}
