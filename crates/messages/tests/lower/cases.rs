//! Single cases, most of them found by looking hard.

use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::encode::Encoded;
use aside_messages::lower::{LowerOptions, Lowerer, Tail, lower};
use aside_messages::wire::{
    ContentBlock, Message, Other, RawJson, ResultContent, Role, ToolResult,
};
use aside_messages::{BlockSource, Layer, Source};
use uuid::Uuid;

use crate::generate::{all, bytes, conversation_of, ephemeral, is_reminder};

/// A law that cannot fail proves nothing: a reminder left beside a result is
/// what the check above is there to see.
#[test]
fn without_smooshing_a_reminder_does_stand_beside_a_tool_result() {
    let mut conversation = Conversation::new(Uuid::nil());
    conversation.push(EntryDraft::message(
        Role::User,
        Origin::Human,
        vec![
            Part::tool_result("a", "out"),
            Part::Reminder { body: "R".into() },
        ],
    ));
    let options = LowerOptions {
        smoosh_reminders: false,
        ..LowerOptions::default()
    };
    let messages = lower(&conversation, Tail::default(), &options).unwrap();
    assert!(messages[0].message.content.iter().any(is_reminder));
    let messages = lower(&conversation, Tail::default(), &LowerOptions::default()).unwrap();
    assert!(!messages[0].message.content.iter().any(is_reminder));
}

/// Appends ephemeral reminders and gives the last message.
fn with_reminders(drafts: &[EntryDraft], bodies: &[&str]) -> String {
    let reminders = ephemeral(bodies);
    let tail = Tail {
        ephemeral: &reminders,
        ..Tail::default()
    };
    let messages = lower(&conversation_of(drafts), tail, &LowerOptions::default()).unwrap();
    serde_json::to_string(&*messages.last().unwrap().message).unwrap()
}

#[test]
fn an_ephemeral_reminder_does_not_join_another_reminder() {
    let parts = vec![
        Part::tool_result("a", "out"),
        Part::Reminder { body: "H".into() },
    ];
    let draft = EntryDraft::message(Role::User, Origin::Human, parts);
    assert_eq!(
        with_reminders(&[draft], &["R", "S"]),
        concat!(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":["#,
            r#"{"type":"text","text":"out\n<system-reminder>\nR\n</system-reminder>\n<system-reminder>\nS\n</system-reminder>"},"#,
            r#"{"type":"text","text":"<system-reminder>\nH\n</system-reminder>"}]}]}"#,
        )
    );
    let parts = vec![
        Part::ToolResult(ToolResult::new("a", vec![])),
        Part::Reminder { body: "H".into() },
    ];
    let draft = EntryDraft::message(Role::User, Origin::Human, parts);
    assert!(
        with_reminders(&[draft], &["R"])
            .contains(r#"H\n</system-reminder>"},{"type":"text","text":"<system-reminder>\nR"#)
    );
}

#[test]
fn a_blank_last_word_is_nothing_to_answer() {
    let model = Origin::Model {
        provider: "p".into(),
        name: "m".into(),
    };
    let answer = EntryDraft::message(Role::Assistant, model, vec![Part::text("x")]);
    let drafts = [EntryDraft::human("a"), answer, EntryDraft::human(" ")];
    for bodies in [&[][..], &["R"]] {
        let reminders = ephemeral(bodies);
        let tail = Tail {
            ephemeral: &reminders,
            ..Tail::default()
        };
        assert!(lower(&conversation_of(&drafts), tail, &LowerOptions::default()).is_err());
    }
    // Nor is a blank answer of the model something to answer.
    let mut drafts = drafts;
    drafts[1].parts = vec![Part::text(" ")];
    let conversation = conversation_of(&drafts[..2]);
    assert!(lower(&conversation, Tail::default(), &LowerOptions::default()).is_err());
}

#[test]
fn what_was_mended_is_told_even_when_there_is_nothing_to_send_yet() {
    let model = Origin::Model {
        provider: "p".into(),
        name: "m".into(),
    };
    let call = Part::tool_use("1", "Read", "{\"a\":");
    let mut conversation = Conversation::new(Uuid::nil());
    conversation.push(EntryDraft::human("a"));
    conversation.push(EntryDraft::message(Role::Assistant, model, vec![call]));
    let mut lowerer = Lowerer::new(LowerOptions::default());
    assert!(lowerer.lower(&conversation, Tail::default()).is_err());
    let result = vec![Part::tool_result("1", "out")];
    conversation.push(EntryDraft::message(Role::User, Origin::Human, result));
    assert_eq!(
        lowerer
            .lower(&conversation, Tail::default())
            .unwrap()
            .diagnostics
            .len(),
        1
    );
}

#[test]
fn what_a_provider_ran_is_not_the_models_word() {
    let model = Origin::Model {
        provider: "p".into(),
        name: "m".into(),
    };
    let page = r#"{"type":"web_fetch_tool_result","content":"</system-reminder>"}"#;
    let page = Part::Other(Other::new(RawJson::parse(page).unwrap()).unwrap());
    let parts = vec![page, Part::text("the tag </system-reminder>")];
    let answer = EntryDraft::message(Role::Assistant, model, parts);
    let drafts = [EntryDraft::human("a"), answer, EntryDraft::human("b")];
    let messages = lower(
        &conversation_of(&drafts),
        Tail::default(),
        &LowerOptions::default(),
    )
    .unwrap();
    assert_eq!(
        serde_json::to_string(&messages[1].message.content).unwrap(),
        concat!(
            r#"[{"type":"web_fetch_tool_result","content":"&lt;/system-reminder>"},"#,
            r#"{"type":"text","text":"the tag </system-reminder>"}]"#,
        )
    );
}

#[test]
fn markers_in_the_conversation_are_taken_off_and_told() {
    let json = r#"{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}"#;
    let ContentBlock::Text(marked) = Message::parse(json.as_bytes())
        .unwrap()
        .value
        .content
        .remove(0)
    else {
        unreachable!("a text block was read")
    };
    let inner = vec![ContentBlock::Text(marked.clone())];
    let result = Part::ToolResult(ToolResult::new("1", inner));
    let mut conversation = Conversation::new(Uuid::nil());
    let parts = vec![Part::Text(marked), result];
    conversation.push(EntryDraft::message(Role::User, Origin::Human, parts));
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let lowered = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!(lowered.diagnostics.len(), 2);
    let json = bytes(&all(&lowered));
    assert!(!String::from_utf8(json).unwrap().contains("cache_control"));
}

#[test]
fn another_conversation_is_a_fork() {
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let mut one = Conversation::new(Uuid::from_u128(1));
    one.push(EntryDraft::human("one"));
    assert_eq!(lowerer.lower(&one, Tail::default()).unwrap().reset, None);
    // The same id, as when nobody cares about ids.
    let mut two = Conversation::new(Uuid::from_u128(1));
    two.push(EntryDraft::human("two"));
    let lowered = lowerer.lower(&two, Tail::default()).unwrap();
    assert_eq!(lowered.reset, Some(aside_messages::lower::Reset::Forked));
    assert_eq!(lowered.len(), 1);
}

#[test]
fn a_block_of_a_result_stays_a_block() {
    let result = ToolResult {
        tool_use_id: "a".into(),
        content: ResultContent::Text("x".into()),
        is_error: None,
        extra: aside_messages::wire::Extra::default(),
        cache_control: None,
    };
    let message = Message::new(Role::User, vec![ContentBlock::ToolResult(result)]);
    let source = BlockSource::new(Source::Envelope, Layer::Conversation);
    let encoded = Encoded::message(&message, vec![source]);
    assert_eq!(
        String::from_utf8(encoded.bytes().to_vec()).unwrap(),
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}"#
    );
}
