//! Pairing items, as a law for all kinds of conversations: reasoning is directly before the item
//! that it belongs to, every call has one output, and nothing is lost without a report.

use std::collections::BTreeSet;

use aside_messages::wire::Request;
use aside_models::Wire;
use aside_providers::{Options, Provider, convert};
use aside_rules::{Context, check};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::responses::server::output_fault;

/// Models on this wire, each with its provider and its reasoning's seal.
const MODELS: [(Provider, &str, &str); 4] = [
    (Provider::OpenAi, "gpt-6.2-sol", "openai-responses:"),
    (Provider::OpenAi, "gpt-6-luna", "openai-responses:"),
    (Provider::OpenAi, "gpt-5.5", "openai-responses:"),
    (Provider::Grok, "grok-4.5", "xai-responses:"),
];

/// A model block.
#[derive(Clone, Copy, Debug)]
enum Block {
    /// This provider's reasoning.
    Own,
    /// This provider's reasoning, but the server could not read it.
    Unreadable,
    /// Another provider's thinking.
    Foreign,
    /// Thinking without a signature.
    Unsigned,
    Text,
    Blank,
    Call,
}

/// A model message, and the order of the results after it.
type Turn = (Vec<Block>, usize, bool);

fn turn() -> impl Strategy<Value = Turn> {
    let block = select(vec![
        Block::Own,
        Block::Own,
        Block::Unreadable,
        Block::Foreign,
        Block::Unsigned,
        Block::Text,
        Block::Blank,
        Block::Call,
        Block::Call,
    ]);
    (vec(block, 1..7), 0_usize..4, any::<bool>())
}

/// Which reasoning has to be sent: its id, and the item after it.
type Expected = Vec<(String, String)>;

/// Builds a request with these turns, and what reasoning it has to hold.
fn request(turns: &[Turn], seal: &str) -> (Request, Expected) {
    let mut messages = vec![json!({"role": "user", "content": "Begin."})];
    let mut expected = Vec::new();
    for (number, (blocks, rotation, has_text)) in turns.iter().enumerate() {
        let (mut content, mut results) = (Vec::new(), Vec::new());
        let mut waiting = Vec::new();
        for (place, block) in blocks.iter().enumerate() {
            let id = format!("{number}_{place}");
            let thinking = |signature: String| json!({"type": "thinking", "thinking": "Hm.", "signature": signature});
            let sealed = |encrypted: &str| {
                let item = json!({"type": "reasoning", "id": format!("rs_{id}"), "summary": [], "encrypted_content": encrypted});
                thinking(format!("{seal}{item}"))
            };
            let mut pair = |item: String| {
                expected.extend(waiting.drain(..).map(|reasoning| (reasoning, item.clone())));
            };
            content.push(match block {
                Block::Own => {
                    waiting.push(format!("rs_{id}"));
                    sealed("e")
                }
                Block::Unreadable => sealed(""),
                Block::Foreign => thinking("c2ln".to_owned()),
                Block::Unsigned => thinking(String::new()),
                Block::Text => {
                    pair(format!("Text {id}."));
                    json!({"type": "text", "text": format!("Text {id}.")})
                }
                Block::Blank => json!({"type": "text", "text": " \n"}),
                Block::Call => {
                    pair(format!("call_{id}"));
                    results.push(json!({"type": "tool_result", "tool_use_id": format!("call_{id}"), "content": format!("out {id}")}));
                    json!({"type": "tool_use", "id": format!("call_{id}"), "name": "Read", "input": {"n": place}})
                }
            });
        }
        let count = results.len().max(1);
        results.rotate_left(rotation % count);
        if *has_text || results.is_empty() {
            results.push(json!({"type": "text", "text": format!("Turn {number}.")}));
        }
        messages.push(json!({"role": "assistant", "content": content}));
        messages.push(json!({"role": "user", "content": results}));
    }
    let tools = json!([{"name": "Read", "input_schema": {"type": "object", "properties": {}}}]);
    let body = json!({"model": "m", "max_tokens": 99, "tools": tools, "messages": messages});
    let request = Request::parse(body.to_string().as_bytes()).unwrap().value;
    (request, expected)
}

/// Returns the first fault in the items.
fn fault(input: &[Value], expected: &Expected) -> Option<String> {
    for (index, item) in input.iter().enumerate() {
        let is_reasoning = item["type"] == "reasoning";
        if !is_reasoning && item.get("id").is_some() {
            return Some(format!("item {index} has an id, and so needs its reasoning"));
        }
        let next = input.get(index + 1);
        let is_followed = next.is_some_and(|next| {
            matches!(next["type"].as_str(), Some("reasoning" | "function_call"))
                || next["role"] == "assistant"
        });
        if is_reasoning && !is_followed {
            return Some(format!("no item of the model follows reasoning {index}"));
        }
    }
    let ids: BTreeSet<_> = input.iter().filter_map(|item| item["id"].as_str()).collect();
    let wanted: BTreeSet<_> = expected.iter().map(|(id, _)| id.as_str()).collect();
    if ids != wanted {
        return Some(format!("reasoning {ids:?}, expected {wanted:?}"));
    }
    for (id, item) in expected {
        let place = input.iter().position(|it| it["id"] == id.as_str())?;
        let after = input[place..].iter().find(|it| it["type"] != "reasoning");
        let found = after.and_then(|it| it["call_id"].as_str().or(it["content"].as_str()));
        // Adjacent texts are one.
        if !found.is_some_and(|found| found.starts_with(item.as_str())) {
            return Some(format!("{id} is before {found:?}, expected {item}"));
        }
    }
    output_fault(input)
}

/// Converts a request; returns the items, and how many thinking blocks were reported as lost.
fn converted(request: &Request, provider: Provider, model: &str) -> (Value, usize) {
    let outgoing = convert(request, provider, &Options::for_model(model)).unwrap();
    let lost = outgoing
        .losses
        .iter()
        .filter(|it| it.what.contains("thinking") || it.what.contains("reasoning"));
    let count = lost.count();
    (serde_json::from_slice(&outgoing.body()).unwrap(), count)
}

fn thoughts(turns: &[Turn]) -> usize {
    let blocks = turns.iter().flat_map(|(blocks, ..)| blocks);
    let is_thought = |block: &&Block| !matches!(block, Block::Text | Block::Blank | Block::Call);
    blocks.filter(is_thought).count()
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn items_are_paired(turns in vec(turn(), 0..5)) {
        // A message of nothing but what is left out is one that the API refuses.
        let is_right = |(blocks, ..): &Turn| blocks.iter().any(|it| !matches!(it, Block::Blank));
        prop_assume!(turns.iter().all(is_right));
        for (provider, model, seal) in MODELS {
            let (request, expected) = request(&turns, seal);
            let (body, lost) = converted(&request, provider, model);
            let input = body["input"].as_array().unwrap();
            prop_assert_eq!(fault(input, &expected), None, "{}: {}", model, body);
            prop_assert_eq!(expected.len() + lost, thoughts(&turns), "{}", model);
            let body = body.to_string();
            let checked = check(body.as_bytes(), Wire::Responses, &Context::default());
            let refused: Vec<_> = checked.refused().map(|it| (it.rule, it.path.clone())).collect();
            prop_assert_eq!(refused, [], "{}: {}", model, body);
        }
    }
}

/// Returns the place of the first item of a type.
fn first(items: &[Value], kind: &str) -> usize {
    items.iter().position(|it| it["type"] == kind).unwrap()
}

/// Changes the items of a request.
type Spoil = fn(&mut Vec<Value>);

/// The law finds every fault that is seeded into right items.
#[test]
fn the_law_finds_seeded_faults() {
    use Block::{Call, Own, Text};
    let turns = [(vec![Own, Text, Own, Call, Call], 1, true), (vec![Own, Own, Text], 0, true)];
    let (request, expected) = request(&turns, "openai-responses:");
    let (body, _) = converted(&request, Provider::OpenAi, "gpt-6.2-sol");
    let right = body["input"].as_array().unwrap();
    assert_eq!(fault(right, &expected), None);
    let spoil: [(&str, Spoil); 6] = [
        ("expected", |items| {
            let place = first(items, "reasoning");
            items.remove(place);
        }),
        ("no item of the model follows", |items| {
            let place = first(items, "reasoning");
            items.insert(place + 1, json!({"type": "message", "role": "user", "content": "x"}));
        }),
        ("is before", |items| {
            let place = first(items, "reasoning");
            items
                .insert(place + 1, json!({"type": "message", "role": "assistant", "content": "x"}));
        }),
        ("needs its reasoning", |items| {
            let place = first(items, "function_call");
            items[place]["id"] = json!("fc_1");
        }),
        ("no tool output found", |items| {
            let place = first(items, "function_call_output");
            items.remove(place);
        }),
        ("no tool call found", |items| {
            let place = first(items, "function_call_output");
            let output = items[place].clone();
            items.insert(place, output);
        }),
    ];
    for (expected_fault, change) in spoil {
        let mut spoiled = right.clone();
        change(&mut spoiled);
        let found = fault(&spoiled, &expected);
        assert!(
            found.as_ref().is_some_and(|it| it.contains(expected_fault)),
            "{expected_fault}: {found:?}"
        );
    }
}
