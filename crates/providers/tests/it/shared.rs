//! The bytes of closed messages are shared, not written again.

use std::sync::Arc;

use aside_messages::encode::{Body, BodyParts, Encoded, History};
use aside_messages::wire::{ContentBlock, Message, RawJson, Request, Role, Tool};
use aside_providers::{Converter, Options, Provider};

/// So long that its bytes are not joined with those of others.
const LONG: usize = 300 << 10;

fn encoded(role: Role, text: &str) -> Arc<Encoded> {
    let message = Message::new(role, vec![ContentBlock::text(text)]);
    Arc::new(Encoded::message(message, Vec::new()))
}

/// The addresses of segments.
fn addresses<'a>(segments: impl IntoIterator<Item = &'a aside_providers::Bytes>) -> Vec<*const u8> {
    segments.into_iter().map(|it| it.as_ptr()).collect()
}

#[test]
fn closed_messages_are_shared_on_every_wire() {
    for provider in Provider::ALL {
        let schema = RawJson::parse(r#"{"type":"object"}"#).unwrap();
        let parameters = Arc::new(Request {
            model: "claude-haiku-4-5".into(),
            max_tokens: Some(64),
            ..Request::default()
        });
        let tools = Arc::new(Encoded::tools(vec![Tool::new("Read", "", schema)]));
        let system = vec![ContentBlock::text("Be brief.")];
        let system = Arc::new(Encoded::system(system, Vec::new()));
        let mut history = History::default();
        let mut converter = Converter::new(provider, Options::default());
        let mut before: Vec<*const u8> = Vec::new();
        for turn in 0..4 {
            let tail = [encoded(Role::User, &format!("Turn {turn}"))];
            let body = Body::new(BodyParts {
                parameters: &parameters,
                tools: &tools,
                system: &system,
                history: &history,
                tail: &tail,
                markers: &[],
            });
            let body = body.unwrap();
            let outgoing = converter.outgoing(&body).unwrap();
            let found = addresses(&outgoing.segments);
            if provider.spec().platform.is_anthropic() {
                // All but the parameters.
                assert_eq!(found[1..], addresses(body.chunks_after_parameters()));
            }
            let is_shared = |address: &*const u8| found.contains(address);
            assert!(before.iter().all(is_shared), "{provider}, turn {turn}");
            let long = outgoing.segments.iter().filter(|it| it.len() >= LONG);
            before = addresses(long);
            assert!(before.len() >= turn, "{provider}, turn {turn}");
            history.push(tail[0].clone());
            history.push(encoded(Role::Assistant, &"x".repeat(LONG)));
        }
    }
}
