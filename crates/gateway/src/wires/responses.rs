//! Responses, as one object and as a stream of events.

use super::events::Frames;
use super::reply::{CallInput, Reply, ReplyBlock, Shown};
use super::usage;
use crate::object::{Object, Raw, event};
use crate::strict::pieces;

const NOTHING: [(); 0] = [];

/// What state a response or an item is in, in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Begun,
    Ended,
}

pub(super) fn whole(reply: &Reply) -> Raw {
    response(reply, State::Ended)
}

pub(super) fn item(block: &ReplyBlock, shown: Shown) -> Raw {
    item_in(block, shown, State::Ended)
}

/// ```text
/// response.created, response.in_progress
/// response.output_item.added, its deltas, response.output_item.done    for each item
/// response.completed, or response.incomplete
/// ```
pub(super) fn events(reply: &Reply) -> Frames {
    let mut events = Events::default();
    for name in ["response.created", "response.in_progress"] {
        events.push(name, |it| it.with("response", response(reply, State::Begun)));
    }
    for (output_index, block) in reply.blocks.iter().enumerate() {
        events.item(output_index, block, reply.shown);
    }
    let name = match incomplete(&reply.stop) {
        Some(_) => "response.incomplete",
        None => "response.completed",
    };
    events.push(name, |it| it.with("response", whole(reply)));
    Frames { tail: events.frames.len() - events.unfinished, frames: events.frames }
}

/// The frames so far, and how many there are up to the last one that finishes nothing.
#[derive(Default)]
struct Events {
    frames: Vec<String>,
    unfinished: usize,
}

impl Events {
    /// Adds an event with its number and the members that `members` adds.
    fn push(&mut self, name: &str, members: impl FnOnce(Object) -> Object) {
        let number = self.frames.len();
        self.frames.push(event(name, |it| members(it.with("sequence_number", number))));
        if [".delta", ".added", ".in_progress"].iter().any(|it| name.ends_with(it)) {
            self.unfinished = self.frames.len();
        }
    }

    fn item(&mut self, output_index: usize, block: &ReplyBlock, shown: Shown) {
        let at_item = |it: Object| it.with("output_index", output_index);
        let at = |it: Object| at_item(it.with("item_id", block.id()));
        let added = item_in(block, shown, State::Begun);
        self.push("response.output_item.added", |it| at_item(it).with("item", added));
        match block {
            ReplyBlock::Text { text, .. } => {
                let at = |it| at(it).with("content_index", 0);
                let part = |text| move |it| at(it).with("part", part(text));
                let value = |key: &'static str, text| {
                    move |it| at(it).with(key, text).with("logprobs", NOTHING)
                };
                self.push("response.content_part.added", part(""));
                for piece in pieces(text) {
                    self.push("response.output_text.delta", value("delta", piece));
                }
                self.push("response.output_text.done", value("text", text));
                self.push("response.content_part.done", part(text));
            }
            ReplyBlock::Reasoning { text, .. } if shown.has_text && !text.is_empty() => {
                let at = |it| at(it).with("summary_index", 0);
                let part = |text| move |it| at(it).with("part", summary(text));
                self.push("response.reasoning_summary_part.added", part(""));
                for piece in pieces(text) {
                    let name = "response.reasoning_summary_text.delta";
                    self.push(name, |it| at(it).with("delta", piece));
                }
                let name = "response.reasoning_summary_text.done";
                self.push(name, |it| at(it).with("text", text));
                self.push("response.reasoning_summary_part.done", part(text));
            }
            ReplyBlock::Reasoning { .. } => {}
            ReplyBlock::Search { .. } => {
                for state in ["in_progress", "searching", "completed"] {
                    self.push(&format!("response.web_search_call.{state}"), at);
                }
            }
            ReplyBlock::Call { name, input, .. } => {
                let (kind, key) = call_keys(input);
                for piece in pieces(input.as_str()) {
                    let event = format!("response.{kind}_{key}.delta");
                    self.push(&event, |it| at(it).with("delta", piece));
                }
                let name = matches!(input, CallInput::Json(_)).then_some(name);
                let done = |it| at(it).with(key, input.as_str()).given("name", name);
                self.push(&format!("response.{kind}_{key}.done"), done);
            }
        }
        let done = item(block, shown);
        self.push("response.output_item.done", |it| at_item(it).with("item", done));
    }
}

/// One that has just begun has no content.
fn item_in(block: &ReplyBlock, shown: Shown, state: State) -> Raw {
    let is_ended = state == State::Ended;
    let status = if is_ended { "completed" } else { "in_progress" };
    let begun = |kind: &str| Object::default().with("type", kind).with("id", block.id());
    match block {
        ReplyBlock::Text { text, .. } => {
            let content: Vec<Raw> = is_ended.then(|| part(text)).into_iter().collect();
            let item = begun("message").with("status", status);
            item.with("role", "assistant").with("content", content).end()
        }
        ReplyBlock::Reasoning { text, seal, .. } => {
            let has_text = is_ended && shown.has_text && !text.is_empty();
            let summary: Vec<Raw> = has_text.then(|| summary(text)).into_iter().collect();
            let seal = Some(seal).filter(|_| is_ended && shown.has_seal);
            let item = begun("reasoning").with("summary", summary);
            item.given("encrypted_content", seal).end()
        }
        ReplyBlock::Search { action, .. } => {
            begun("web_search_call").with("status", status).with("action", action).end()
        }
        ReplyBlock::Call { call_id, name, namespace, input, .. } => {
            let (kind, key) = call_keys(input);
            let input = if is_ended { input.as_str() } else { "" };
            let item = begun(kind).with("call_id", call_id);
            let item = item.with("name", name).given("namespace", namespace.as_ref());
            item.with(key, input).with("status", status).end()
        }
    }
}

/// Returns the type of a call's item, and its key for the input.
fn call_keys(input: &CallInput) -> (&'static str, &'static str) {
    match input {
        CallInput::Json(_) => ("function_call", "arguments"),
        CallInput::Text(_) => ("custom_tool_call", "input"),
    }
}

fn part(text: &str) -> Raw {
    let part = Object::default().with("type", "output_text").with("text", text);
    part.with("annotations", NOTHING).with("logprobs", NOTHING).end()
}

fn summary(text: &str) -> Raw {
    let part = Object::default().with("type", "summary_text");
    part.with("text", text).end()
}

/// Returns why a response is incomplete, if it is.
fn incomplete(stop: &str) -> Option<&'static str> {
    match stop {
        "max_tokens" | "model_context_window_exceeded" => Some("max_output_tokens"),
        "refusal" => Some("content_filter"),
        _ => None,
    }
}

/// Returns a response as an object. What is not known when it begins is null.
fn response(reply: &Reply, state: State) -> Raw {
    let is_ended = state == State::Ended;
    let reason = incomplete(&reply.stop).filter(|_| is_ended);
    let status = match (is_ended, reason) {
        (false, _) => "in_progress",
        (true, None) => "completed",
        (true, Some(_)) => "incomplete",
    };
    let blocks = reply.blocks.iter().filter(|_| is_ended);
    let output: Vec<Raw> = blocks.map(|it| item(it, reply.shown)).collect();
    let details = reason.map(|reason| Object::default().with("reason", reason).end());
    let begun = Object::default()
        .with("id", &reply.id)
        .with("object", "response")
        .with("created_at", reply.created)
        .with("status", status)
        .with("completed_at", Some(reply.created).filter(|_| is_ended))
        .with("error", ())
        .with("incomplete_details", details)
        .with("model", &reply.model)
        .with("output", output);
    let echo = reply.echo.iter();
    let removed = Some(&reply.removed).filter(|it| !it.is_empty());
    echo.fold(begun, |object, (key, value)| object.with(key, value))
        .with("service_tier", "default")
        .with("usage", is_ended.then(|| usage::responses(reply)))
        .given("input_transformations", removed)
        .given("prompt_cache_diagnostics", reply.diagnostics.as_ref())
        .end()
}
