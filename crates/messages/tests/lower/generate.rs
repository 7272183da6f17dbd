//! Conversations for the laws, and short ways to lower them.

use std::sync::Arc;

use aside_messages::Layer;
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part, Visibility};
use aside_messages::encode::{Body, BodyParts, Encoded, Marker};
use aside_messages::lower::{EphemeralReminder, Lowered, LoweredMessage};
use aside_messages::wire::{
    ContentBlock, Message, Other, RawJson, Request, Role, Text, ToolResult,
};
use proptest::collection::vec;
use proptest::prelude::*;
use uuid::Uuid;

pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ -~é😀\\n]{0,12}",
        1 => Just("</system-reminder>".to_owned()),
        1 => Just("< / SYSTEM-reminder x=\"1\"".to_owned()),
        1 => Just(" \n\t".to_owned()),
    ]
}

pub(crate) fn tool_result() -> impl Strategy<Value = Part> {
    let block = prop_oneof![
        4 => text().prop_map(ContentBlock::text),
        1 => Just(other(r#"{"type":"tool_reference","tool_name":"Read"}"#)),
        1 => Just(other(r#"{"type":"search_result","text":"\u003csystem-reminder>"}"#)),
        1 => Just(other(r#"{"type":"search_result","text":"\ud800</system-reminder>"}"#)),
    ];
    ("[a-c]", vec(block, 0..3), any::<bool>()).prop_map(|(id, content, is_error)| {
        Part::ToolResult(ToolResult {
            is_error: is_error.then_some(true),
            ..ToolResult::new(id, content)
        })
    })
}

pub(crate) fn other(json: &str) -> ContentBlock {
    ContentBlock::Other(Other::new(RawJson::parse(json).unwrap()).unwrap())
}

pub(crate) fn user_part() -> impl Strategy<Value = Part> {
    prop_oneof![
        3 => text().prop_map(Part::text),
        2 => text().prop_map(|body| Part::Reminder { body: body.into() }),
        3 => tool_result(),
    ]
}

pub(crate) fn assistant_part() -> impl Strategy<Value = Part> {
    let input = prop_oneof![
        Just("{ \"a\" : 1.0 }"),
        Just("{\"a\":"),
        Just("[]"),
        Just("{}")
    ];
    let tool_use = ("[a-c]", input).prop_map(|(id, input)| Part::tool_use(id, "Read", input));
    prop_oneof![text().prop_map(Part::text), tool_use]
}

pub(crate) fn entry() -> impl Strategy<Value = EntryDraft> {
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
pub(crate) fn conversation() -> impl Strategy<Value = Vec<EntryDraft>> {
    vec(entry(), 0..8).prop_map(|mut entries| {
        entries.insert(0, EntryDraft::human("first"));
        entries.push(EntryDraft::human("last"));
        entries
    })
}

/// What may stand at the end of the user's turn, of every kind.
pub(crate) fn last_word() -> impl Strategy<Value = Vec<EntryDraft>> {
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

pub(crate) fn conversation_of(drafts: &[EntryDraft]) -> Conversation {
    let mut conversation = Conversation::new(Uuid::from_u128(7));
    push_all(&mut conversation, drafts);
    conversation
}

pub(crate) fn push_all(conversation: &mut Conversation, drafts: &[EntryDraft]) {
    for draft in drafts {
        conversation.push(draft.clone());
    }
}

pub(crate) fn request(messages: &[LoweredMessage]) -> Request {
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

pub(crate) fn body<'a>(
    messages: impl IntoIterator<Item = &'a LoweredMessage>,
    markers: &[Marker],
) -> Body {
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

pub(crate) fn all(lowered: &Lowered<'_>) -> Vec<LoweredMessage> {
    lowered.messages().cloned().collect()
}

pub(crate) fn bytes(messages: &[LoweredMessage]) -> Vec<u8> {
    body(messages, &[]).to_vec()
}

pub(crate) fn ephemeral(bodies: &[&str]) -> Vec<EphemeralReminder> {
    let reminder = |body: &&str| EphemeralReminder {
        id: (*body).into(),
        body: (*body).into(),
    };
    bodies.iter().map(reminder).collect()
}

pub(crate) fn as_result(block: &ContentBlock) -> Option<&ToolResult> {
    match block {
        ContentBlock::ToolResult(result) => Some(result),
        _ => None,
    }
}

pub(crate) fn is_reminder(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Text(Text { text, .. }) if text.starts_with("<system-reminder>\n"))
}
