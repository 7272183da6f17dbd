//! A session of thirty turns against a strict server.

use std::sync::Arc;

use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, History, Marker};
use aside_messages::wire::{
    CacheControl, ContentBlock, Message, RawJson, Request, Role, Tool, ToolResult,
};
use aside_providers::{Converter, Options, Provider};
use serde_json::{Value, json};

use crate::responses::read;
use crate::responses::server::Server;

fn encoded(message: Message) -> Arc<Encoded> {
    Arc::new(Encoded::message(message, Vec::new()))
}

/// A session of thirty turns; the requests as they are sent.
fn session(server: &mut Server, see: &mut impl FnMut(&mut Server, Vec<u8>)) {
    let schema = RawJson::parse(r#"{"type":"object","properties":{}}"#).unwrap();
    let parameters = Arc::new(Request {
        model: "claude-opus-5-5".into(),
        max_tokens: Some(64),
        ..Request::default()
    });
    let tools = Arc::new(Encoded::tools(vec![Tool::new("Read", "", schema)]));
    let system = Arc::new(Encoded::system(vec![ContentBlock::text("Be brief.")], Vec::new()));
    let options = Options { session_id: Some("s".into()), ..Options::for_model("gpt-6.2-sol") };
    let mut converter = Converter::new(Provider::OpenAi, options);
    let mut history = History::default();
    let mut next = vec![ContentBlock::text("Begin.")];
    for turn in 0..30 {
        let user = Message::new(Role::User, next);
        let tail = [encoded(user.clone())];
        let control = CacheControl::EPHEMERAL;
        let last = BlockRef::Message { message: history.len(), block: user.content.len() - 1 };
        let markers = [BlockRef::System(0), last].map(|at| Marker { at, control: control.clone() });
        let body = Body::new(BodyParts {
            parameters: &parameters,
            tools: &tools,
            system: &system,
            history: &history,
            tail: &tail,
            markers: &markers,
        });
        let outgoing = converter.outgoing(&body.unwrap()).unwrap();
        see(server, outgoing.body());
        let answer = read(outgoing.wire, &server.answer(turn), 1 + turn);
        let calls = answer.content.iter().filter_map(|block| match block {
            ContentBlock::ToolUse(call) => Some(call.id.clone()),
            _ => None,
        });
        let result =
            |id| ContentBlock::ToolResult(ToolResult::new(id, vec![ContentBlock::text("out")]));
        let mut content: Vec<_> = calls.map(result).collect();
        content.push(ContentBlock::text(format!("Turn {turn}")));
        next = content;
        history.push(encoded(user));
        history.push(encoded(Message::new(Role::Assistant, answer.content)));
    }
}

#[test]
fn thirty_turns_against_a_strict_server() {
    let mut server = Server::default();
    let mut requests = 0;
    session(&mut server, &mut |server, body| {
        requests += 1;
        // A breakpoint on the system prompt, and one on the new part.
        let text = String::from_utf8(body.clone()).unwrap();
        assert_eq!(text.matches("prompt_cache_breakpoint").count(), 2);
        assert_eq!(server.fault(&body), None);
    });
    assert_eq!((requests, server.written.len()), (30, 30));
}

/// Changes the items of a request.
type Spoil = fn(&mut Vec<Value>);

/// The server of the test above refuses invalid requests.
#[test]
fn the_strict_server_is_strict() {
    let spoil: [(&str, Spoil); 5] = [
        ("is lost", |input| {
            input.retain(|it| it["type"] != "reasoning");
        }),
        ("without its required item", |input| {
            let at = input.iter().position(|it| it["type"] == "reasoning").unwrap();
            input.insert(at + 1, json!({"type": "message", "role": "user", "content": "x"}));
        }),
        ("no tool output found", |input| {
            input.retain(|it| it["type"] != "function_call_output");
        }),
        ("no tool call found", |input| {
            let output = input.iter().find(|it| it["type"] == "function_call_output");
            input.push(output.unwrap().clone());
        }),
        ("an earlier item changed", |input| {
            input[1]["content"][0]["text"] = json!("Start.");
        }),
    ];
    for (expected, change) in spoil {
        let mut server = Server::default();
        let mut turn = 0;
        session(&mut server, &mut |server, body| {
            turn += 1;
            if turn != 20 {
                assert_eq!(server.fault(&body), None);
                return;
            }
            let mut spoiled: Value = serde_json::from_slice(&body).unwrap();
            change(spoiled["input"].as_array_mut().unwrap());
            let before = server.before.clone();
            let fault = server.fault(spoiled.to_string().as_bytes());
            assert!(
                fault.as_ref().is_some_and(|it| it.contains(expected)),
                "{expected}: {fault:?}"
            );
            server.before = before;
            assert_eq!(server.fault(&body), None);
        });
    }
}
