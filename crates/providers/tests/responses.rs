//! The laws of the Responses wire: pairing, an unchanged prefix, and streams in
//! any order that the types allow.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, History, Marker};
use aside_messages::wire::{
    CacheControl, ContentBlock, Message, RawJson, Request, Role, Tool, ToolResult,
};
use aside_providers::{
    Answer, Collector, Converter, Names, Options, Provider, Stream, WireDialect,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A server with the rules of the API and one more: it remembers the items that
/// it has written, and requires them in the next request.
#[derive(Default)]
struct Server {
    /// Reasoning that was written, and the item that it belongs to.
    written: Vec<(String, Value)>,
    /// The last request.
    before: Option<Value>,
}

impl Server {
    /// Returns why a request is refused.
    fn fault(&mut self, body: &[u8]) -> Option<String> {
        let mut body: Value = serde_json::from_slice(body).unwrap();
        without_breakpoints(&mut body);
        let input = body["input"].as_array().unwrap().clone();
        let fault = self
            .reasoning_fault(&input)
            .or_else(|| output_fault(&input))
            .or_else(|| self.prefix_fault(&body, &input));
        self.before = Some(body);
        fault
    }

    /// Reasoning is there, directly before its item, with nothing of it lost.
    fn reasoning_fault(&self, input: &[Value]) -> Option<String> {
        for (id, item) in &self.written {
            let Some(at) = input.iter().position(|it| it["id"] == id.as_str()) else {
                return Some(format!("reasoning {id} is lost"));
            };
            let next = input.get(at + 1).unwrap_or(&Value::Null);
            let keys = ["type", "call_id", "arguments", "content"];
            if keys.iter().any(|key| next[key] != item[key]) {
                return Some(format!(
                    "reasoning {id} was provided without its required item"
                ));
            }
            if input[at]["encrypted_content"] != format!("e-{id}") {
                return Some(format!("reasoning {id} has other content"));
            }
        }
        None
    }

    /// Tools, format and earlier items are the beginning of the request.
    fn prefix_fault(&self, body: &Value, input: &[Value]) -> Option<String> {
        let before = self.before.as_ref()?;
        for key in ["tools", "text", "instructions", "model"] {
            if before[key] != body[key] {
                return Some(format!("{key} changed"));
            }
        }
        let old = before["input"].as_array().unwrap();
        (!input.starts_with(old)).then(|| "an earlier item changed".to_owned())
    }

    /// The stream of an answer: reasoning, and a call or a text.
    fn answer(&mut self, turn: usize) -> String {
        let id = format!("rs_{turn}");
        let reasoning = json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": format!("e-{id}")});
        let (item, sent) = match turn % 4 {
            3 => {
                let text = format!("Answer {turn}");
                let sent = json!({"type": "message", "id": format!("msg_{turn}"), "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]});
                (json!({"type": "message", "content": text}), sent)
            }
            _ => {
                let (id, arguments) = (format!("call_{turn}"), format!("{{\"n\": {turn}}}"));
                let sent = json!({"type": "function_call", "id": format!("fc_{turn}"), "call_id": id, "name": "Read", "arguments": arguments, "status": "completed"});
                (
                    json!({"type": "function_call", "call_id": id, "arguments": arguments}),
                    sent,
                )
            }
        };
        self.written.push((id, item));
        let response = json!({"id": format!("resp_{turn}"), "model": "gpt-6.2-sol", "status": "completed", "output": [], "usage": {"input_tokens": 9, "output_tokens": 1}});
        let events = [
            json!({"type": "response.created", "response": {"id": format!("resp_{turn}"), "model": "gpt-6.2-sol", "status": "in_progress"}}),
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "e"}}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": reasoning}),
            json!({"type": "response.output_item.done", "output_index": 1, "item": sent}),
            json!({"type": "response.completed", "response": response}),
        ];
        events.map(|event| format!("data: {event}\n\n")).concat()
    }
}

/// Every call has one output, after it and before the model goes on.
fn output_fault(input: &[Value]) -> Option<String> {
    let mut open = HashSet::new();
    let mut answered = HashSet::new();
    for item in input {
        let id = item["call_id"].as_str().unwrap_or_default().to_owned();
        match item["type"].as_str().unwrap_or_default() {
            "function_call" => drop(open.insert(id)),
            "function_call_output" if !open.remove(&id) || !answered.insert(id.clone()) => {
                return Some(format!("no tool call found for output {id}"));
            }
            "message" if item["role"] == "user" && !open.is_empty() => {
                return Some("no tool output found before the user's message".to_owned());
            }
            _ => {}
        }
    }
    let missing = open.into_iter().next();
    missing.map(|id| format!("no tool output found for function call {id}"))
}

/// Breakpoints are no part of the prefix.
fn without_breakpoints(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("prompt_cache_breakpoint");
            members.values_mut().for_each(without_breakpoints);
        }
        Value::Array(items) => items.iter_mut().for_each(without_breakpoints),
        _ => {}
    }
}

fn read(wire: WireDialect, stream: &str, cut: usize) -> Answer {
    let mut reader = Stream::on(wire, Names::default());
    let mut events = Vec::new();
    for piece in stream.as_bytes().chunks(cut) {
        reader.push(piece, &mut events).unwrap();
    }
    reader.finish(&mut events).unwrap();
    let mut collector = Collector::default();
    events.iter().for_each(|event| collector.push(event));
    collector.finish()
}

fn encoded(message: Message) -> Arc<Encoded> {
    Arc::new(Encoded::message(message, Vec::new()))
}

/// A session of thirty turns; the requests as they are sent.
fn session(server: &mut Server, see: &mut impl FnMut(&mut Server, Vec<u8>)) {
    let schema = RawJson::parse(r#"{"type":"object","properties":{}}"#).unwrap();
    let parameters = Arc::new(Request {
        model: "claude-opus-5-5".into(),
        max_tokens: 64,
        ..Request::default()
    });
    let tools = Arc::new(Encoded::tools(vec![Tool::new("Read", "", schema)]));
    let system = Arc::new(Encoded::system(
        vec![ContentBlock::text("Be brief.")],
        Vec::new(),
    ));
    let options = Options {
        session_id: Some("s".into()),
        ..Options::for_model("gpt-6.2-sol")
    };
    let mut converter = Converter::new(Provider::OpenAi, options);
    let mut history = History::default();
    let mut next = vec![ContentBlock::text("Begin.")];
    for turn in 0..30 {
        let user = Message::new(Role::User, next);
        let tail = [encoded(user.clone())];
        let control = CacheControl::EPHEMERAL;
        let last = BlockRef::Message {
            message: history.len(),
            block: user.content.len() - 1,
        };
        let markers = [BlockRef::System(0), last].map(|at| Marker {
            at,
            control: control.clone(),
        });
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
            let at = input
                .iter()
                .position(|it| it["type"] == "reasoning")
                .unwrap();
            input.insert(
                at + 1,
                json!({"type": "message", "role": "user", "content": "x"}),
            );
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

/// The events of one item.
#[derive(Clone, Debug)]
enum Item {
    Reasoning(Vec<String>),
    Text(Vec<String>),
    Call(Vec<String>),
}

fn item() -> impl Strategy<Value = Item> {
    let pieces = || vec("[a-z é]{0,4}", 0..4);
    prop_oneof![
        pieces().prop_map(Item::Reasoning),
        pieces().prop_map(Item::Text),
        pieces().prop_map(Item::Call),
    ]
}

impl Item {
    /// Its events in their order.
    fn events(&self, place: usize) -> Vec<Value> {
        let of = |kind: &str, mut event: Value| {
            event["type"] = json!(format!("response.{kind}"));
            event["output_index"] = json!(place);
            event
        };
        let delta = |kind: &'static str, text: &str| {
            of(
                kind,
                json!({"content_index": 0, "summary_index": 0, "delta": text}),
            )
        };
        let (begin, kind, pieces, whole) = match self {
            Self::Reasoning(pieces) => {
                let text = pieces.concat();
                let parts = match text.is_empty() {
                    true => json!([]),
                    false => json!([{"type": "summary_text", "text": text}]),
                };
                let item = |sealed: &str| json!({"type": "reasoning", "id": format!("rs_{place}"), "summary": parts, "encrypted_content": sealed});
                (
                    item("e"),
                    "reasoning_summary_text.delta",
                    pieces,
                    item("e-whole"),
                )
            }
            Self::Text(pieces) => {
                let part =
                    json!({"type": "output_text", "text": pieces.concat(), "annotations": []});
                let item = |content| json!({"type": "message", "id": format!("msg_{place}"), "role": "assistant", "content": content});
                (
                    item(json!([])),
                    "output_text.delta",
                    pieces,
                    item(json!([part])),
                )
            }
            Self::Call(pieces) => {
                let input = json!({"q": pieces.concat()}).to_string();
                let item = |arguments: &str| json!({"type": "function_call", "id": format!("fc_{place}"), "call_id": format!("call_{place}"), "name": "Read", "arguments": arguments});
                let (first, rest) = split(&input);
                let cut = [first.to_owned(), rest.to_owned()];
                let mut events = vec![of("output_item.added", json!({"item": item("")}))];
                events.extend(
                    cut.iter()
                        .map(|it| delta("function_call_arguments.delta", it)),
                );
                events.push(of(
                    "function_call_arguments.done",
                    json!({"arguments": input}),
                ));
                events.push(of("output_item.done", json!({"item": item(&input)})));
                return events;
            }
        };
        let mut events = vec![of("output_item.added", json!({"item": begin}))];
        events.extend(pieces.iter().map(|text| delta(kind, text)));
        events.push(of("output_item.done", json!({"item": whole})));
        events
    }
}

fn stream(events: &[Value]) -> String {
    let head = json!({"type": "response.created", "response": {"id": "r", "model": "m"}});
    let tail = json!({"type": "response.completed", "response": {"id": "r", "model": "m", "status": "completed"}});
    let all = [
        std::slice::from_ref(&head),
        events,
        std::slice::from_ref(&tail),
    ]
    .concat();
    all.iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Events of items come in any order between items, in any pieces of
    /// bytes: the answer is the same.
    #[test]
    fn any_interleaving_gives_the_same_answer(
        items in vec(item(), 0..6),
        picks in vec(any::<prop::sample::Index>(), 60),
        cut in 1_usize..400,
    ) {
        let wire = Provider::OpenAi.spec().wire("gpt-6.2-sol").wire;
        let apart: Vec<Vec<Value>> =
            items.iter().enumerate().map(|(place, item)| item.events(place)).collect();
        let expected = read(wire, &stream(&apart.concat()), usize::MAX);

        let mut queues: HashMap<usize, std::vec::IntoIter<Value>> =
            apart.into_iter().map(Vec::into_iter).enumerate().collect();
        let mut mixed = Vec::new();
        let mut picks = picks.iter().cycle();
        while !queues.is_empty() {
            let mut places: Vec<_> = queues.keys().copied().collect();
            places.sort_unstable();
            let place = *picks.next().unwrap().get(&places);
            match queues.get_mut(&place).and_then(Iterator::next) {
                Some(event) => mixed.push(event),
                None => drop(queues.remove(&place)),
            }
        }
        prop_assert_eq!(read(wire, &stream(&mixed), cut), expected);
    }
}

/// Two halves, cut between characters.
fn split(text: &str) -> (&str, &str) {
    let half = text.floor_char_boundary(text.len() / 2);
    text.split_at(half)
}
