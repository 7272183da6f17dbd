//! Streams in every order that the types allow.

use std::collections::HashMap;

use aside_providers::{Names, Provider, answer};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::responses::read;

/// A response item, by the pieces in which its text comes.
#[derive(Clone, Debug)]
enum Item {
    /// The summary's parts.
    Reasoning(Vec<Vec<String>>),
    /// Reasoning that is shown itself.
    OpenReasoning(Vec<String>),
    /// The parts, some of which are refusals.
    Message(Vec<(bool, Vec<String>)>),
    Call(Vec<String>),
    CustomCall(Vec<String>),
    /// A call that the server runs.
    Search,
}

fn item() -> impl Strategy<Value = Item> {
    let pieces = || vec("[a-z é]{0,4}", 0..4);
    prop_oneof![
        2 => vec(pieces(), 0..3).prop_map(Item::Reasoning),
        1 => pieces().prop_map(Item::OpenReasoning),
        2 => vec((prop::bool::weighted(0.2), pieces()), 0..3).prop_map(Item::Message),
        2 => pieces().prop_map(Item::Call),
        1 => pieces().prop_map(Item::CustomCall),
        1 => Just(Item::Search),
    ]
}

struct Events {
    place: usize,
    all: Vec<Value>,
}

impl Events {
    fn push(&mut self, kind: &str, mut event: Value) {
        event["type"] = json!(format!("response.{kind}"));
        event["output_index"] = json!(self.place);
        self.all.push(event);
    }

    /// Sends a text in pieces, and then whole.
    fn text(&mut self, kind: &str, place: Value, pieces: &[String], whole_key: &str) {
        for piece in pieces {
            let mut event = place.clone();
            event["delta"] = json!(piece);
            self.push(&format!("{kind}.delta"), event);
        }
        let mut event = place;
        event[whole_key] = json!(pieces.concat());
        self.push(&format!("{kind}.done"), event);
    }
}

impl Item {
    /// Returns the complete item.
    fn whole(&self, place: usize) -> Value {
        match self {
            Self::Reasoning(parts) => {
                let part =
                    |text: &Vec<String>| json!({"type": "summary_text", "text": text.concat()});
                let parts: Vec<_> = parts.iter().map(part).collect();
                json!({"type": "reasoning", "id": format!("rs_{place}"), "summary": parts, "encrypted_content": format!("e{place}")})
            }
            Self::OpenReasoning(pieces) => {
                let part = json!({"type": "reasoning_text", "text": pieces.concat()});
                json!({"type": "reasoning", "id": format!("rs_{place}"), "summary": [], "content": [part], "encrypted_content": format!("e{place}")})
            }
            Self::Message(parts) => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(|(is_refusal, pieces)| part(*is_refusal, &pieces.concat()))
                    .collect();
                json!({"type": "message", "id": format!("msg_{place}"), "role": "assistant", "content": parts})
            }
            Self::Call(pieces) => {
                let input = json!({"q": pieces.concat()}).to_string();
                json!({"type": "function_call", "id": format!("fc_{place}"), "call_id": format!("call_{place}"), "name": "Read", "arguments": input})
            }
            Self::CustomCall(pieces) => {
                json!({"type": "custom_tool_call", "id": format!("ctc_{place}"), "call_id": format!("call_{place}"), "name": "Edit", "input": pieces.concat()})
            }
            Self::Search => {
                json!({"type": "web_search_call", "id": format!("ws_{place}"), "status": "completed", "action": {"type": "search", "query": "x"}})
            }
        }
    }

    /// Returns the item as it begins.
    fn beginning(&self, place: usize) -> Value {
        let mut item = self.whole(place);
        for (key, empty) in [
            ("content", json!([])),
            ("summary", json!([])),
            ("arguments", json!("")),
            ("input", json!("")),
            // It may be incomplete, or another one.
            ("encrypted_content", json!("e")),
        ] {
            if item.get(key).is_some() {
                item[key] = empty;
            }
        }
        item
    }

    /// Returns the events in order.
    fn events(&self, place: usize) -> Vec<Value> {
        let mut events = Events { place, all: Vec::new() };
        events.push("output_item.added", json!({"item": self.beginning(place)}));
        match self {
            Self::Reasoning(parts) => {
                for (index, pieces) in parts.iter().enumerate() {
                    let at = json!({"summary_index": index});
                    let part = |text: &str| json!({"summary_index": index, "part": {"type": "summary_text", "text": text}});
                    events.push("reasoning_summary_part.added", part(""));
                    events.text("reasoning_summary_text", at, pieces, "text");
                    events.push("reasoning_summary_part.done", part(&pieces.concat()));
                }
            }
            Self::OpenReasoning(pieces) => {
                let at = json!({"content_index": 0});
                events.text("reasoning_text", at, pieces, "text");
            }
            Self::Message(parts) => {
                for (index, (is_refusal, pieces)) in parts.iter().enumerate() {
                    let at = json!({"content_index": index});
                    let whole = |text: &str| json!({"content_index": index, "part": part(*is_refusal, text)});
                    events.push("content_part.added", whole(""));
                    match is_refusal {
                        true => events.text("refusal", at, pieces, "refusal"),
                        false => events.text("output_text", at, pieces, "text"),
                    }
                    events.push(
                        "output_text.annotation.added",
                        json!({"content_index": index, "annotation": {}}),
                    );
                    events.push("content_part.done", whole(&pieces.concat()));
                }
            }
            Self::Call(_) => {
                let input = self.whole(place)["arguments"].as_str().unwrap().to_owned();
                let (first, rest) = split(&input);
                let pieces = [first.to_owned(), rest.to_owned()];
                events.text("function_call_arguments", json!({}), &pieces, "arguments");
            }
            Self::CustomCall(pieces) => {
                events.text("custom_tool_call_input", json!({}), pieces, "input");
            }
            Self::Search => events.push("web_search_call.searching", json!({})),
        }
        events.push("output_item.done", json!({"item": self.whole(place)}));
        events.all
    }
}

fn part(is_refusal: bool, text: &str) -> Value {
    if is_refusal {
        json!({"type": "refusal", "refusal": text})
    } else {
        json!({"type": "output_text", "text": text, "annotations": []})
    }
}

fn stream(events: &[Value]) -> String {
    let head = json!({"type": "response.created", "response": {"id": "r", "model": "m"}});
    let tail = json!({"type": "response.completed", "response": {"id": "r", "model": "m", "status": "completed"}});
    let all = [std::slice::from_ref(&head), events, std::slice::from_ref(&tail)].concat();
    all.iter().map(|event| format!("data: {event}\n\n")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// When items' events come in any order, in any pieces, with all that the types allow in
    /// between, you get the same answer as from the complete response.
    #[test]
    fn any_interleaving_gives_the_same_answer(
        items in vec(item(), 0..6),
        picks in vec(any::<prop::sample::Index>(), 60),
        cut in 1_usize..400,
    ) {
        let wire = Provider::OpenAi.spec().wire("gpt-6.2-sol").wire;
        let output: Vec<Value> =
            items.iter().enumerate().map(|(place, item)| item.whole(place)).collect();
        let body = json!({"id": "r", "model": "m", "status": "completed", "output": output});
        let expected = answer(wire, body.to_string().as_bytes(), &Names::default()).unwrap();

        let apart: Vec<Vec<Value>> =
            items.iter().enumerate().map(|(place, item)| item.events(place)).collect();
        prop_assert_eq!(&read(wire, &stream(&apart.concat()), usize::MAX), &expected);

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
                None => {
                    queues.remove(&place);
                    mixed.push(json!({"type": "keepalive"}));
                }
            }
        }
        prop_assert_eq!(&read(wire, &stream(&mixed), cut), &expected);
    }
}

/// Two halves, cut between characters.
fn split(text: &str) -> (&str, &str) {
    let half = text.floor_char_boundary(text.len() / 2);
    text.split_at(half)
}
