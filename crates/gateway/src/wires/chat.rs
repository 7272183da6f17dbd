//! Chat Completions, as one object and as a stream of chunks.
//!
//! The wire has no place for reasoning: it is only counted.

use super::events::{Frames, data};
use super::reply::{CallInput, Reply, ReplyBlock};
use super::usage;
use crate::object::{Object, Raw};
use crate::strict::pieces;

const NOTHING: [(); 0] = [];

/// Returns a response as one object. Its text blocks are one text.
pub(super) fn whole(reply: &Reply) -> Raw {
    let (mut texts, mut calls, mut function_call) = (Vec::new(), Vec::new(), None);
    for block in &reply.blocks {
        match block {
            ReplyBlock::Text { text, .. } => texts.push(text.as_str()),
            ReplyBlock::Call { call_id, name, input, .. } => {
                let (kind, inner) = called(input, Some(name), input.as_str());
                if reply.is_legacy {
                    function_call = Some(inner);
                    continue;
                }
                let call = Object::default().with("id", call_id).with("type", kind);
                calls.push(call.with(kind, inner).end());
            }
            ReplyBlock::Reasoning { .. } | ReplyBlock::Search { .. } => {}
        }
    }
    let message = Object::default()
        .with("role", "assistant")
        .with("content", Some(texts.concat()).filter(|_| !texts.is_empty()))
        .with("refusal", ())
        .with("annotations", NOTHING)
        .given("tool_calls", Some(&calls).filter(|it| !it.is_empty()))
        .given("function_call", function_call)
        .end();
    let choices = (0..reply.choices).map(|index| {
        let choice = Object::default().with("index", index);
        let choice = choice.with("message", &message).with("logprobs", ());
        choice.with("finish_reason", finish_reason(reply)).end()
    });
    completion(reply, "chat.completion", &choices.collect::<Vec<_>>())
        .with("usage", usage::chat(reply))
        .end()
}

/// Returns a response's chunks, and `[DONE]`.
pub(super) fn events(reply: &Reply) -> Frames {
    let chunk = |choices: &[Raw]| completion(reply, "chat.completion.chunk", choices);
    let mut frames = Vec::new();
    // Each choice has the same delta.
    let mut push = |delta: Object, finish_reason: Option<&str>| {
        let delta = delta.end();
        for index in 0..reply.choices {
            let choice = Object::default().with("index", index);
            let choice = choice.with("delta", &delta).with("logprobs", ());
            let choice = choice.with("finish_reason", finish_reason);
            frames.push(data(&chunk(&[choice.end()]).end()));
        }
    };
    let role = Object::default().with("role", "assistant");
    push(role.with("content", ""), None);
    let mut index = 0;
    for block in &reply.blocks {
        match block {
            ReplyBlock::Text { text, .. } => {
                for content in pieces(text) {
                    push(Object::default().with("content", content), None);
                }
            }
            ReplyBlock::Call { name, input, .. } if reply.is_legacy => {
                let parts = pieces(input.as_str()).map(|piece| (None, piece));
                for (name, part) in std::iter::once((Some(&**name), "")).chain(parts) {
                    let (_, call) = called(input, name, part);
                    push(Object::default().with("function_call", call), None);
                }
            }
            ReplyBlock::Call { call_id, name, input, .. } => {
                let (kind, inner) = called(input, Some(name), "");
                let begun = Object::default().with("index", index).with("id", call_id);
                let begun = begun.with("type", kind).with(kind, inner).end();
                push(Object::default().with("tool_calls", [begun]), None);
                for piece in pieces(input.as_str()) {
                    let (kind, inner) = called(input, None, piece);
                    let call = Object::default().with("index", index).with(kind, inner).end();
                    push(Object::default().with("tool_calls", [call]), None);
                }
                index += 1;
            }
            ReplyBlock::Reasoning { .. } | ReplyBlock::Search { .. } => {}
        }
    }
    push(Object::default(), Some(finish_reason(reply)));
    // One for each choice, and the end.
    let mut tail = usize::try_from(reply.choices).unwrap_or(usize::MAX - 2) + 1;
    if reply.has_final_usage {
        frames.push(data(&chunk(&[]).with("usage", usage::chat(reply)).end()));
        tail += 1;
    }
    frames.push("data: [DONE]\n\n".to_owned());
    Frames { frames, tail }
}

/// Returns a call's type, and the object under that key with a part of the input.
fn called(input: &CallInput, name: Option<&str>, part: &str) -> (&'static str, Raw) {
    let (kind, key) = match input {
        CallInput::Json(_) => ("function", "arguments"),
        CallInput::Text(_) => ("custom", "input"),
    };
    (kind, Object::default().given("name", name).with(key, part).end())
}

/// Without usage.
fn completion(reply: &Reply, object: &str, choices: &[Raw]) -> Object {
    Object::default()
        .with("id", &reply.id)
        .with("object", object)
        .with("created", reply.created)
        .with("model", &reply.model)
        .with("choices", choices)
        .with("service_tier", "default")
}

fn finish_reason(reply: &Reply) -> &'static str {
    match &*reply.stop {
        "tool_use" if reply.is_legacy => "function_call",
        "tool_use" => "tool_calls",
        "max_tokens" | "model_context_window_exceeded" => "length",
        "refusal" => "content_filter",
        _ => "stop",
    }
}
