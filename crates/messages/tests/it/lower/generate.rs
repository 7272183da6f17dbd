//! Conversations for the laws, and short ways to lower them.

use std::collections::BTreeSet;
use std::sync::Arc;

use aside_messages::conversation::{Boundary, Conversation, EntryDraft, Origin, Part, Visibility};
use aside_messages::encode::{Body, BodyParts, Encoded, Marker};
use aside_messages::lower::{EphemeralReminder, LowerOptions, Lowered, Tail, lower};
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

pub(crate) fn block(json: &str) -> ContentBlock {
    let json = format!(r#"{{"role":"user","content":[{json}]}}"#);
    let message = Message::parse(json.as_bytes()).unwrap().value;
    message.content.into_iter().next().unwrap()
}

/// Options for a request that offers these tools.
pub(crate) fn offering(tools: &[&str]) -> LowerOptions {
    let tools: BTreeSet<_> = tools.iter().map(|it| (*it).to_owned()).collect();
    LowerOptions { tools: Some(Arc::new(tools)), ..LowerOptions::default() }
}

pub(crate) fn image() -> ContentBlock {
    block(r#"{"type":"image","source":{"type":"url","url":"https://u"}}"#)
}

pub(crate) fn thinking() -> ContentBlock {
    block(r#"{"type":"thinking","thinking":"hm","signature":"s"}"#)
}

pub(crate) fn other(json: &str) -> ContentBlock {
    ContentBlock::Other(Other::new(RawJson::parse(json).unwrap()).unwrap())
}

pub(crate) fn tool_result() -> impl Strategy<Value = Part> {
    let block = prop_oneof![
        4 => text().prop_map(ContentBlock::text),
        1 => Just(image()),
        1 => Just(other(r#"{"type":"tool_reference","tool_name":"Read"}"#)),
        1 => Just(other(r#"{"type":"search_result","text":"\u003csystem-reminder>"}"#)),
        1 => Just(other(r#"{"type":"search_result","text":"\ud800</system-reminder>"}"#)),
    ];
    ("[a-f]", vec(block, 0..3), any::<bool>()).prop_map(|(id, content, is_error)| {
        Part::ToolResult(ToolResult {
            is_error: is_error.then_some(true),
            ..ToolResult::new(id, content)
        })
    })
}

pub(crate) fn user_part() -> impl Strategy<Value = Part> {
    prop_oneof![
        3 => text().prop_map(Part::text),
        2 => text().prop_map(|body| Part::Reminder { body: body.into() }),
        4 => tool_result(),
        1 => Just(Part::from(image())),
    ]
}

pub(crate) fn assistant_part() -> impl Strategy<Value = Part> {
    let input = prop_oneof![Just("{ \"a\" : 1.0 }"), Just("{\"a\":"), Just("[]"), Just("{}")];
    let tool_use = ("[a-f]", input).prop_map(|(id, input)| Part::tool_use(id, "Read", input));
    prop_oneof![
        2 => text().prop_map(Part::text),
        3 => tool_use,
        1 => Just(Part::from(thinking())),
    ]
}

pub(crate) fn model() -> Origin {
    Origin::Model { provider: "p".into(), name: "m".into() }
}

pub(crate) fn human(parts: Vec<Part>) -> EntryDraft {
    EntryDraft::message(Role::User, Origin::Human, parts)
}

pub(crate) fn answer(parts: Vec<Part>) -> EntryDraft {
    EntryDraft::message(Role::Assistant, model(), parts)
}

pub(crate) fn users_entry() -> impl Strategy<Value = EntryDraft> {
    (vec(user_part(), 0..4), visibility())
        .prop_map(|(parts, visibility)| human(parts).with_visibility(visibility))
}

pub(crate) fn models_entry() -> impl Strategy<Value = EntryDraft> {
    (vec(assistant_part(), 0..4), visibility())
        .prop_map(|(parts, visibility)| answer(parts).with_visibility(visibility))
}

fn visibility() -> impl Strategy<Value = Visibility> {
    prop_oneof![
        4 => Just(Visibility::Shown),
        2 => Just(Visibility::Meta),
        1 => Just(Visibility::DisplayOnly),
    ]
}

/// Generates a response that calls a tool run by the API, with or without its result. The API gives
/// each call its own id.
pub(crate) fn server_answer() -> impl Strategy<Value = EntryDraft> {
    ("[a-z]{12}", any::<bool>(), text()).prop_map(|(id, is_done, text)| {
        let id = format!("srvtoolu_{id}");
        let call = format!(
            r#"{{"type":"server_tool_use","id":"{id}","name":"web_search","input":{{"query":"q"}}}}"#
        );
        let result =
            format!(r#"{{"type":"web_search_tool_result","tool_use_id":"{id}","content":[]}}"#);
        let mut parts = vec![Part::text(text), Part::from(other(&call))];
        if is_done {
            parts.push(Part::from(other(&result)));
        }
        answer(parts)
    })
}

/// Generates an entry that is not a message. A snip names the entry `back` positions before it.
fn event() -> impl Strategy<Value = Draft> {
    let compact = text().prop_map(|summary| Boundary::Compact { summary: summary.into() });
    let boundary = prop_oneof![Just(Boundary::Clear), compact];
    prop_oneof![
        2 => Just(Draft::Entry(EntryDraft::aborted())),
        1 => boundary.prop_map(|it| Draft::Entry(EntryDraft::boundary(it))),
        1 => (1..4_usize).prop_map(Draft::Snip),
    ]
}

fn context() -> impl Strategy<Value = EntryDraft> {
    let layer =
        prop_oneof![Just(aside_messages::Layer::Project), Just(aside_messages::Layer::Session)];
    (layer, text()).prop_map(|(layer, text)| EntryDraft::reminder(Origin::Context { layer }, text))
}

/// An entry to append.
#[derive(Clone, Debug)]
pub(crate) enum Draft {
    Entry(EntryDraft),
    Snip(usize),
}

pub(crate) fn draft() -> impl Strategy<Value = Draft> {
    prop_oneof![
        6 => users_entry().prop_map(Draft::Entry),
        6 => models_entry().prop_map(Draft::Entry),
        1 => context().prop_map(Draft::Entry),
        2 => event(),
    ]
}

/// A conversation that ends with the user's words.
pub(crate) fn drafts() -> impl Strategy<Value = Vec<Draft>> {
    vec(draft(), 0..10).prop_map(|mut drafts| {
        drafts.push(Draft::Entry(EntryDraft::human("last")));
        drafts
    })
}

pub(crate) fn push(conversation: &mut Conversation, draft: &Draft) {
    let entry = match draft {
        Draft::Entry(entry) => entry.clone(),
        Draft::Snip(back) => {
            let entries = conversation.entries();
            let at = entries.len().checked_sub(*back);
            EntryDraft::snip(at.map(|at| entries[at].id).into_iter().collect())
        }
    };
    conversation.push(entry);
}

pub(crate) fn conversation_of(drafts: &[Draft]) -> Conversation {
    let mut conversation = Conversation::new(Uuid::from_u128(7));
    for draft in drafts {
        push(&mut conversation, draft);
    }
    conversation
}

pub(crate) fn conversation_with(drafts: &[EntryDraft]) -> Conversation {
    let mut conversation = Conversation::new(Uuid::from_u128(7));
    for draft in drafts {
        conversation.push(draft.clone());
    }
    conversation
}

pub(crate) fn options() -> impl Strategy<Value = LowerOptions> {
    (any::<bool>(), any::<bool>(), 1..5_usize).prop_map(|(smoosh_reminders, tag_ids, limit)| {
        LowerOptions { smoosh_reminders, tag_ids, media_limit: limit, ..LowerOptions::default() }
    })
}

pub(crate) fn lowered(conversation: &Conversation) -> Lowered<'static> {
    lower(conversation, Tail::default(), &LowerOptions::default()).unwrap()
}

pub(crate) fn body(lowered: &Lowered<'_>, markers: &[Marker]) -> Body {
    Body::new(BodyParts {
        parameters: &Arc::new(Request {
            model: "m".into(),
            max_tokens: Some(1),
            stream: Some(true),
            ..Request::default()
        }),
        tools: &Arc::new(Encoded::tools(Vec::new())),
        system: &Arc::new(Encoded::system(Vec::new(), Vec::new())),
        history: lowered.history(),
        tail: lowered.tail(),
        markers,
    })
    .unwrap()
}

pub(crate) fn request(lowered: &Lowered<'_>) -> Request {
    body(lowered, &[]).to_request()
}

/// The messages as JSON, one per line.
pub(crate) fn lines(lowered: &Lowered<'_>) -> String {
    let line = |it: &Arc<Encoded>| String::from_utf8(it.bytes().to_vec()).unwrap();
    lowered.messages().map(line).collect::<Vec<_>>().join("\n")
}

pub(crate) fn ephemeral(bodies: &[&str]) -> Vec<EphemeralReminder> {
    let reminder = |body: &&str| EphemeralReminder { id: (*body).into(), body: (*body).into() };
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
