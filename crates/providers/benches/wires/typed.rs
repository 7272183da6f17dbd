//! The events of each wire as a typed client declares them.

use std::borrow::Cow;
use std::hint::black_box;

use serde::Deserialize;

use crate::wire_name::Wire;

/// Deserializes the data of one event.
pub(crate) fn read(wire: Wire, data: &str) -> serde_json::Result<()> {
    match wire {
        Wire::Messages => drop(black_box(serde_json::from_str::<MessagesEvent<'_>>(data)?)),
        Wire::Responses => drop(black_box(serde_json::from_str::<ResponsesEvent<'_>>(data)?)),
        Wire::Chat => drop(black_box(serde_json::from_str::<ChatChunk<'_>>(data)?)),
        Wire::Gemini => drop(black_box(serde_json::from_str::<GeminiChunk<'_>>(data)?)),
    }
    Ok(())
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a typed client has these fields")]
struct MessagesEvent<'a> {
    r#type: &'a str,
    index: Option<usize>,
    #[serde(borrow)]
    delta: Option<MessagesDelta<'a>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a typed client has these fields")]
struct MessagesDelta<'a> {
    r#type: Option<&'a str>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    thinking: Option<Cow<'a, str>>,
    #[serde(borrow)]
    partial_json: Option<Cow<'a, str>>,
    stop_reason: Option<&'a str>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a typed client has these fields")]
struct ResponsesEvent<'a> {
    r#type: &'a str,
    sequence_number: Option<u64>,
    item_id: Option<&'a str>,
    output_index: Option<usize>,
    content_index: Option<usize>,
    #[serde(borrow)]
    delta: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a typed client has these fields")]
struct ChatChunk<'a> {
    id: &'a str,
    object: Option<&'a str>,
    created: Option<u64>,
    model: Option<&'a str>,
    system_fingerprint: Option<&'a str>,
    #[serde(borrow)]
    choices: Vec<ChatChoice<'a>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a typed client has these fields")]
struct ChatChoice<'a> {
    index: usize,
    #[serde(borrow)]
    delta: ChatDelta<'a>,
    finish_reason: Option<&'a str>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a typed client has these fields")]
struct ChatDelta<'a> {
    role: Option<&'a str>,
    #[serde(borrow)]
    content: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "a typed client has these fields")]
struct GeminiChunk<'a> {
    #[serde(borrow, default)]
    candidates: Vec<Candidate<'a>>,
    usage_metadata: Option<GeminiUsage>,
    model_version: Option<&'a str>,
    response_id: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "a typed client has these fields")]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Option<GeminiContent<'a>>,
    finish_reason: Option<&'a str>,
    index: Option<usize>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a typed client has these fields")]
struct GeminiContent<'a> {
    #[serde(borrow, default)]
    parts: Vec<GeminiPart<'a>>,
    role: Option<&'a str>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a typed client has these fields")]
struct GeminiPart<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    thought: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "a typed client has these fields")]
struct GeminiUsage {
    prompt_token_count: Option<u64>,
    total_token_count: Option<u64>,
}
