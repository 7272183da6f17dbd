//! Detects the wire that a body is written for, by its keys.
//!
//! ```text
//! contents                                          generateContent
//! input, no messages                                Responses
//! messages with a key of the Messages API           Messages
//! messages with a key or a form of Chat             Chat Completions
//! messages, and a model of OpenAI, xAI, Google      Chat Completions
//! messages otherwise                                Messages
//! ```

use aside_models::{Vendor, Wire};

use aside_json::scan::{self as json, Kind, Member, Span};

/// Top-level keys that of these wires only the Messages API has.
const MESSAGES_KEYS: [&[u8]; 6] = [
    b"system",
    b"anthropic_version",
    b"anthropic_beta",
    b"thinking",
    b"cache_control",
    b"stop_sequences",
];

/// Top-level keys that of these wires only Chat Completions has.
const CHAT_KEYS: [&[u8]; 10] = [
    b"max_completion_tokens",
    b"frequency_penalty",
    b"presence_penalty",
    b"logit_bias",
    b"response_format",
    b"n",
    b"seed",
    b"functions",
    b"stream_options",
    b"reasoning_effort",
];

/// Finds the wire. `messages` and `tools` are the elements of those lists.
///
/// `None` if the body has neither `messages`, `input` nor `contents`. A key
/// that is typical decides before the model, since proxies serve any model on
/// any wire.
pub(crate) fn detect(
    bytes: &[u8],
    members: &[Member],
    messages: &[Span],
    tools: &[Span],
    model: Option<&str>,
) -> Option<Wire> {
    let has = |key: &[u8]| members.iter().any(|it| &bytes[it.key.clone()] == key);
    if has(b"contents") {
        return Some(Wire::GenerateContent);
    }
    if has(b"input") && !has(b"messages") {
        return Some(Wire::Responses);
    }
    if !has(b"messages") {
        return None;
    }
    if MESSAGES_KEYS.into_iter().any(has) {
        return Some(Wire::Messages);
    }
    if CHAT_KEYS.into_iter().any(has) || is_chat(bytes, messages, tools) {
        return Some(Wire::ChatCompletions);
    }
    match model.map(|id| aside_models::find(id).facts.vendor) {
        Some(Vendor::OpenAi | Vendor::Xai | Vendor::Google) => Some(Wire::ChatCompletions),
        _ => Some(Wire::Messages),
    }
}

/// Returns true if messages or tools have the form of Chat Completions.
///
/// Of a long conversation, only the first and the last four messages are read.
fn is_chat(bytes: &[u8], messages: &[Span], tools: &[Span]) -> bool {
    let is_object = |it: &&Span| json::kind(bytes, it.start) == Kind::Object;
    let has = |it: &Span, key: &str| json::get(bytes, it.start, key).is_some();
    if tools.iter().filter(is_object).any(|it| has(it, "function")) {
        return true;
    }
    // A system message at the start is none of the Messages API; further ones
    // may be. One look at the start and the end is enough.
    let role = |it: &Span| {
        let role = json::get(bytes, it.start, "role")?;
        json::string(bytes, &role)
    };
    let first = messages.first().filter(is_object);
    let is_system = |it: &Span| matches!(role(it).as_deref(), Some("system" | "developer"));
    if first.is_some_and(is_system) {
        return true;
    }
    let ends = messages.iter().take(4).chain(messages.iter().rev().take(4));
    ends.filter(is_object)
        .any(|it| has(it, "tool_calls") || role(it).as_deref() == Some("tool"))
}
