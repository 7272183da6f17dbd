//! Checks a session's requests, whose closed messages are checked once.

use std::sync::Arc;

use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::encode::{Body, BodyParts, Encoded};
use aside_messages::lower::{LowerOptions, Lowerer, Tail};
use aside_messages::wire::{RawJson, Request, Role, Tool};
use aside_providers::Converter;
use aside_rules::ApiVersion;
use uuid::Uuid;

use super::{FIRST_PARTY, Target, parse};

struct Session {
    conversation: Conversation,
    lowerer: Lowerer,
    converter: Converter,
    tools: Vec<Tool>,
}

impl Session {
    fn new(target: Target) -> Self {
        Self {
            conversation: Conversation::new(Uuid::nil()),
            lowerer: Lowerer::new(LowerOptions {
                media_limit: usize::MAX,
                ..LowerOptions::default()
            }),
            converter: Converter::of_lowered(target.provider, target.options()),
            tools: Vec::new(),
        }
    }

    fn push(&mut self, role: Role, parts: Vec<Part>) {
        let origin = match role {
            Role::Assistant => Origin::Model { provider: "p".into(), name: "m".into() },
            _ => Origin::Human,
        };
        self.conversation.push(EntryDraft::message(role, origin, parts));
    }

    /// Sends the next request. Returns why it is refused.
    fn send(&mut self) -> String {
        let lowered = self.lowerer.lower(&self.conversation, Tail::default());
        let lowered = lowered.unwrap();
        let parameters = Request { model: "m".into(), max_tokens: Some(64), ..Request::default() };
        let body = Body::new(BodyParts {
            parameters: &Arc::new(parameters),
            tools: &Arc::new(Encoded::tools(self.tools.clone())),
            system: &Arc::new(Encoded::system(Vec::new(), Vec::new())),
            history: lowered.history(),
            tail: lowered.tail(),
            markers: &[],
        });
        let outgoing = self.converter.outgoing(&body.unwrap());
        outgoing.err().map(|it| it.to_string()).unwrap_or_default()
    }
}

fn block(json: &str) -> Part {
    let mut content = parse(&format!(
        r#"{{"model":"m","max_tokens":1,"messages":[{{"role":"user","content":[{json}]}}]}}"#
    ));
    Part::from(content.messages.remove(0).content.remove(0))
}

#[test]
fn a_refused_message_stays_refused() {
    let mut session = Session::new(Target { version: ApiVersion::V2026_10_21, ..FIRST_PARTY });
    session.push(Role::User, vec![Part::text("a")]);
    assert_eq!(session.send(), "");
    let document =
        r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"}}"#;
    session.push(Role::Assistant, vec![block(document)]);
    for turn in 0..3 {
        session.push(Role::User, vec![Part::text("b")]);
        let refused = session.send();
        let expected = "assistant-document: messages[1].content[0]: a document";
        assert!(refused.starts_with(expected), "{turn}: {refused}");
        session.push(Role::Assistant, vec![Part::text("c")]);
    }
}

#[test]
fn images_of_closed_messages_count() {
    let mut session = Session::new(FIRST_PARTY);
    let image =
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}"#;
    let sent: Vec<_> = [200, 200, 200, 1]
        .into_iter()
        .map(|count| {
            session.push(Role::User, vec![block(image); count]);
            let refused = session.send();
            session.push(Role::Assistant, vec![Part::text("a")]);
            refused
        })
        .collect();
    assert_eq!(sent[..3], ["", "", ""]);
    let expected = "media-limit: messages: 601 images";
    assert!(sent[3].starts_with(expected), "{}", sent[3]);
}

#[test]
fn a_corrected_prefix_is_sent() {
    let mut session = Session::new(FIRST_PARTY);
    session.push(Role::User, vec![Part::text("a")]);
    let schema = RawJson::parse(r#"{"type":"string"}"#).unwrap();
    session.tools = vec![Tool::new("Read", "", schema)];
    assert!(session.send().starts_with("tool-schema: tools[0].input_schema"));
    assert!(session.send().starts_with("tool-schema: tools[0].input_schema"));
    session.tools.clear();
    assert_eq!(session.send(), "");
}
