//! Laws of lowering and encoding, over generated conversations.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::sync::Arc;

use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part, ToolInput, Visibility};
use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, Marker};
use aside_messages::lower::{
    EphemeralReminder, LowerOptions, Lowered, LoweredMessage, Lowerer, Tail, drop_blank, expand,
    hoist_tool_results, lower, merge_adjacent, smoosh_reminders,
};
use aside_messages::wire::{
    CacheControl, ContentBlock, Message, Other, RawJson, Request, ResultContent, Role, Text,
    ToolResult, Ttl,
};
use aside_messages::{BlockSource, Layer, REMINDER_TAG, Source, neutralize};
use proptest::collection::vec;
use proptest::prelude::*;
use uuid::Uuid;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ -~é😀\\n]{0,12}",
        1 => Just("</system-reminder>".to_owned()),
        1 => Just("< / SYSTEM-reminder x=\"1\"".to_owned()),
        1 => Just(" \n\t".to_owned()),
    ]
}

fn tool_result() -> impl Strategy<Value = Part> {
    let block = prop_oneof![
        4 => text().prop_map(ContentBlock::text),
        1 => Just(other(r#"{"type":"tool_reference","tool_name":"Read"}"#)),
        1 => Just(other(r#"{"type":"search_result","text":"\u003csystem-reminder>"}"#)),
        1 => Just(other(r#"{"type":"search_result","text":"\ud800</system-reminder>"}"#)),
    ];
    ("[a-c]", vec(block, 0..3), any::<bool>()).prop_map(|(id, content, is_error)| {
        Part::ToolResult {
            tool_use_id: id.into(),
            content,
            is_error,
        }
    })
}

fn other(json: &str) -> ContentBlock {
    ContentBlock::Other(Other::new(RawJson::parse(json).unwrap()).unwrap())
}

fn user_part() -> impl Strategy<Value = Part> {
    prop_oneof![
        3 => text().prop_map(Part::text),
        2 => text().prop_map(|body| Part::Reminder { body: body.into() }),
        3 => tool_result(),
    ]
}

fn assistant_part() -> impl Strategy<Value = Part> {
    let input = prop_oneof![
        Just("{ \"a\" : 1.0 }"),
        Just("{\"a\":"),
        Just("[]"),
        Just("{}")
    ];
    let tool_use = ("[a-c]", input).prop_map(|(id, input)| Part::ToolUse {
        id: id.into(),
        name: "Read".into(),
        input: ToolInput(input.into()),
    });
    prop_oneof![text().prop_map(Part::text), tool_use]
}

fn entry() -> impl Strategy<Value = EntryDraft> {
    let model = Origin::Model {
        provider: "p".into(),
        name: "m".into(),
    };
    let users = vec(user_part(), 0..4)
        .prop_map(|parts| EntryDraft::message(Role::User, Origin::Human, parts));
    let models = vec(assistant_part(), 0..3)
        .prop_map(move |parts| EntryDraft::message(Role::Assistant, model.clone(), parts));
    let visibility = prop_oneof![
        4 => Just(Visibility::Shown),
        2 => Just(Visibility::Meta),
        1 => Just(Visibility::DisplayOnly),
    ];
    (prop_oneof![3 => users, 2 => models], visibility)
        .prop_map(|(draft, visibility)| draft.with_visibility(visibility))
}

/// A conversation that begins and ends with words of the user.
fn conversation() -> impl Strategy<Value = Vec<EntryDraft>> {
    vec(entry(), 0..8).prop_map(|mut entries| {
        entries.insert(0, EntryDraft::human("first"));
        entries.push(EntryDraft::human("last"));
        entries
    })
}

/// What may stand at the end of the user's turn, of every kind.
fn last_word() -> impl Strategy<Value = Vec<EntryDraft>> {
    let image = r#"{"role":"user","content":[{"type":"image","source":{"type":"url","url":"u"}}]}"#;
    let image = match &Message::parse(image.as_bytes()).unwrap().value.content[0] {
        ContentBlock::Image(image) => Part::Image(image.clone()),
        other => unreachable!("{other:?}"),
    };
    let of = |parts| EntryDraft::message(Role::User, Origin::Human, parts);
    let separator = EntryDraft::message(
        Role::Assistant,
        Origin::Model {
            provider: "p".into(),
            name: "m".into(),
        },
        vec![Part::text("so far")],
    );
    prop_oneof![
        Just(vec![]),
        Just(vec![separator.clone(), of(vec![image])]),
        Just(vec![
            separator.clone(),
            of(vec![Part::tool_result("a", "out")])
        ]),
        Just(vec![
            separator.clone(),
            of(vec![
                Part::tool_result("a", "out"),
                Part::Reminder {
                    body: "hook".into()
                }
            ]),
        ]),
        Just(vec![
            separator,
            EntryDraft::reminder(
                Origin::Context {
                    layer: Layer::Session
                },
                "context"
            ),
        ]),
    ]
}

fn conversation_of(drafts: &[EntryDraft]) -> Conversation {
    let mut conversation = Conversation::new(Uuid::from_u128(7));
    push_all(&mut conversation, drafts);
    conversation
}

fn push_all(conversation: &mut Conversation, drafts: &[EntryDraft]) {
    for draft in drafts {
        conversation.push(draft.clone());
    }
}

fn request(messages: &[LoweredMessage]) -> Request {
    let messages = messages
        .iter()
        .map(|message| (*message.message).clone())
        .collect();
    Request {
        model: "m".into(),
        max_tokens: 1,
        stream: Some(true),
        messages,
        ..Request::default()
    }
}

fn body<'a>(messages: impl IntoIterator<Item = &'a LoweredMessage>, markers: &[Marker]) -> Body {
    Body::new(BodyParts {
        parameters: &Request {
            stream: Some(true),
            ..request(&[])
        },
        tools: &Arc::new(Encoded::tools(&[])),
        system: &Arc::new(Encoded::system(&[], Vec::new())),
        messages: messages.into_iter().map(|message| &message.encoded),
        markers,
    })
    .unwrap()
}

fn all(lowered: &Lowered<'_>) -> Vec<LoweredMessage> {
    lowered.messages().cloned().collect()
}

fn bytes(messages: &[LoweredMessage]) -> Vec<u8> {
    body(messages, &[]).to_vec()
}

fn ephemeral(bodies: &[&str]) -> Vec<EphemeralReminder> {
    let reminder = |body: &&str| EphemeralReminder {
        id: (*body).into(),
        body: (*body).into(),
    };
    bodies.iter().map(reminder).collect()
}

proptest! {
    #[test]
    fn the_encoder_writes_what_serde_writes(
        drafts in conversation(),
        marked in vec(any::<prop::sample::Index>(), 0..4),
        with_reminder in any::<bool>(),
    ) {
        let reminders = ephemeral(if with_reminder { &["R", "S"] } else { &[] });
        let tail = Tail { ephemeral: &reminders, ..Tail::default() };
        let messages = lower(&conversation_of(&drafts), tail, &LowerOptions::default()).unwrap();
        let places: Vec<BlockRef> = messages.iter().enumerate().flat_map(|(message, lowered)| {
            (0..lowered.message.content.len()).map(move |block| BlockRef::Message { message, block })
        }).collect();
        let mut places: Vec<BlockRef> = marked.iter().map(|index| *index.get(&places)).collect();
        places.sort();
        places.dedup();
        let mut typed = request(&messages);
        let control = CacheControl::lasting(Ttl::OneHour);
        for at in &places {
            let BlockRef::Message { message, block } = *at else { unreachable!() };
            typed.messages[message].content[block].mark(control.clone());
        }
        let markers: Vec<_> =
            places.into_iter().map(|at| Marker { at, control: control.clone() }).collect();
        let body = body(&messages, &markers);
        prop_assert_eq!(
            String::from_utf8(body.to_vec()).unwrap(),
            serde_json::to_string(&typed).unwrap()
        );
        prop_assert_eq!(body.len(), body.to_vec().len());
        let read = Request::parse(&body.to_vec()).unwrap();
        prop_assert_eq!(read.value, typed);
    }

    #[test]
    fn lowering_bit_by_bit_is_lowering_at_once(drafts in conversation()) {
        let conversation = conversation_of(&drafts);
        let whole = bytes(&lower(&conversation, Tail::default(), &LowerOptions::default()).unwrap());
        for cut in 0..=drafts.len() {
            let mut lowerer = Lowerer::new(LowerOptions::default());
            let mut growing = conversation_of(&drafts[..cut]);
            prop_assert_eq!(lowerer.extend(&growing), None);
            push_all(&mut growing, &drafts[cut..]);
            let lowered = lowerer.lower(&growing, Tail::default()).unwrap();
            prop_assert_eq!(&bytes(&all(&lowered)), &whole);
        }
        // What is pending is lowered as if it were there.
        for cut in 1..drafts.len() {
            let before = conversation_of(&drafts[..cut]);
            let tail = Tail { pending: &drafts[cut..], ..Tail::default() };
            let lowered = lower(&before, tail, &LowerOptions::default()).unwrap();
            prop_assert_eq!(&bytes(&lowered), &whole);
        }
    }

    #[test]
    fn a_conversation_that_grows_keeps_its_prefix(
        turns in vec((conversation(), last_word(), vec(assistant_part(), 1..3)), 2..4),
        with_reminder in any::<bool>(),
    ) {
        let reminders = ephemeral(if with_reminder { &["R"] } else { &[] });
        let mut conversation = Conversation::new(Uuid::from_u128(8));
        let mut lowerer = Lowerer::new(LowerOptions::default());
        let mut before: Option<Vec<u8>> = None;
        for (users, last, answer) in turns {
            push_all(&mut conversation, &users);
            push_all(&mut conversation, &last);
            let tail = Tail { ephemeral: &reminders, ..Tail::default() };
            let lowered = lowerer.lower(&conversation, tail).unwrap();
            prop_assert_eq!(lowered.reset, None);
            let prefix = body(lowered.messages(), &[]).stable_prefix();
            if let Some(before) = before {
                prop_assert!(prefix.starts_with(&before));
            }
            before = Some(prefix);
            let model = Origin::Model { provider: "p".into(), name: "m".into() };
            let mut parts = answer;
            parts.push(Part::text("done"));
            conversation.push(EntryDraft::message(Role::Assistant, model, parts));
        }
    }

    #[test]
    fn every_pass_is_idempotent(drafts in conversation()) {
        let conversation = conversation_of(&drafts);
        let options = LowerOptions::default();
        let runs = conversation.entries().iter().map(|it| expand(it, &options, &mut Vec::new()));
        let merged = merge_adjacent(runs);
        prop_assert_eq!(&merge_adjacent(merged.clone()), &merged);
        for pass in [drop_blank, hoist_tool_results, smoosh_reminders] {
            for run in &merged {
                let mut once = run.clone();
                pass(&mut once);
                let mut twice = once.clone();
                pass(&mut twice);
                prop_assert_eq!(once, twice);
            }
        }
    }

    #[test]
    fn no_reminder_stands_beside_a_tool_result(drafts in conversation()) {
        let messages =
            lower(&conversation_of(&drafts), Tail::default(), &LowerOptions::default()).unwrap();
        for message in messages {
            let content = &message.message.content;
            let results: Vec<_> = content.iter().filter_map(as_result).collect();
            let Some(last) = results.last() else { continue };
            let first_other = content.iter().position(|block| as_result(block).is_none());
            prop_assert!(first_other.is_none_or(|at| at == results.len()), "results come first");
            if !last.holds_tool_reference() {
                prop_assert!(!content.iter().any(is_reminder));
            }
        }
    }

    #[test]
    fn only_reminders_are_reminders(drafts in conversation()) {
        let conversation = conversation_of(&drafts);
        let real = conversation.entries().iter()
            .filter(|entry| entry.visibility != Visibility::DisplayOnly)
            .flat_map(|entry| &entry.parts)
            .filter(|part| matches!(part, Part::Reminder { body } if !body.trim().is_empty()))
            .count();
        let model_says = conversation.entries().iter()
            .filter(|entry| matches!(entry.origin, Origin::Model { .. }))
            .filter(|entry| entry.visibility != Visibility::DisplayOnly)
            .flat_map(|entry| &entry.parts)
            .filter(|part| matches!(part, Part::Text(text)
                if neutralize(&text.text, &[REMINDER_TAG]) != *text.text))
            .count();
        let messages = lower(&conversation, Tail::default(), &LowerOptions::default()).unwrap();
        let json = String::from_utf8(bytes(&messages)).unwrap();
        let escaped = json.matches("\\u003c").count();
        prop_assert_eq!(escaped, 0, "no escape hides a tag");
        // `&lt;` is three bytes longer than `<`; a reminder has two tags.
        let grown = neutralize(&json, &[REMINDER_TAG]).len() - json.len();
        prop_assert_eq!(grown / 3, 2 * real + model_says);
    }

    #[test]
    fn what_the_human_says_is_sent_as_it_is(words in text()) {
        let mut conversation = Conversation::new(Uuid::nil());
        conversation.push(EntryDraft::human("first"));
        conversation.push(EntryDraft::human(words.as_str()));
        let messages = lower(&conversation, Tail::default(), &LowerOptions::default()).unwrap();
        let sent = messages[0].message.content.get(1);
        if words.trim().is_empty() {
            prop_assert_eq!(sent, None);
        } else {
            let expected = ContentBlock::text(&*neutralize(&words, &[REMINDER_TAG]));
            prop_assert_eq!(sent, Some(&expected));
        }
    }

    #[test]
    fn every_byte_has_one_source(drafts in conversation(), with_reminder in any::<bool>()) {
        let reminders = ephemeral(if with_reminder { &["R"] } else { &[] });
        let tail = Tail { ephemeral: &reminders, ..Tail::default() };
        let conversation = conversation_of(&drafts);
        let messages = lower(&conversation, tail, &LowerOptions::default()).unwrap();
        let body = body(&messages, &[]);
        let json = body.to_vec();
        // The text of each reminder part stands in bytes of its own entry.
        let mut at = 0;
        for entry in conversation.entries() {
            if entry.visibility == Visibility::DisplayOnly { continue }
            for (part, content) in entry.parts.iter().enumerate() {
                let own = Source::Entry { id: entry.id, part };
                let found = (0..json.len()).filter(|at| *body.source_at(*at) == own).count();
                let is_blank = match content {
                    Part::Text(text) => text.text.trim().is_empty(),
                    Part::Reminder { body } => body.trim().is_empty(),
                    _ => false,
                };
                prop_assert_eq!(found > 0, !is_blank);
                at += found;
            }
        }
        let others = (0..json.len())
            .filter(|at| !matches!(body.source_at(*at), Source::Entry { .. }))
            .count();
        prop_assert_eq!(at + others, json.len());
        let reminded: Vec<u8> = (0..json.len())
            .filter(|at| matches!(body.source_at(*at), Source::Reminder { .. }))
            .map(|at| json[at])
            .collect();
        let expected = if with_reminder { r"\n<system-reminder>\nR\n</system-reminder>" } else { "" };
        prop_assert_eq!(String::from_utf8(reminded).unwrap(), expected);
    }
}

fn as_result(block: &ContentBlock) -> Option<&ToolResult> {
    match block {
        ContentBlock::ToolResult(result) => Some(result),
        _ => None,
    }
}

fn is_reminder(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Text(Text { text, .. }) if text.starts_with("<system-reminder>\n"))
}

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
        Part::ToolResult {
            tool_use_id: "a".into(),
            content: vec![],
            is_error: false,
        },
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
    let input = ToolInput("{\"a\":".into());
    let call = Part::ToolUse {
        id: "1".into(),
        name: "Read".into(),
        input,
    };
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
    let result = Part::ToolResult {
        tool_use_id: "1".into(),
        content: inner,
        is_error: false,
    };
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
