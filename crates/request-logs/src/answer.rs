//! Usage, ids, cache diagnostics and the first text of responses: complete ones
//! and streams, of every wire.
//!
//! The reader does not know the wire. It looks for the keys of all of them, at
//! the levels where a wire can have them:
//!
//! ```text
//! Anthropic      {"type":"message","id","content":[…],"usage"}, or the events message_start …
//! Responses      {"object":"response","id","output":[…],"usage"}, or response.completed
//! Chat           {"object":"chat.completion","id","choices":[…],"usage"}, or its chunks
//! Gemini         {"candidates":[{"content":{"parts":[…]}}],"usageMetadata"}
//! ```

mod usage;

use serde_json::Value;

use crate::exchange::Exchange;
use crate::json::{at, list, text};

pub(crate) use usage::of_value as usage_of;

/// Collects the facts of a response, event by event.
///
/// A stream is added one event at a time, a complete response with one call.
/// Values of an unknown shape add nothing, so a log of mixed events can be
/// added as it is.
///
/// ```
/// use aside_request_logs::{AnswerReader, Exchange};
///
/// let mut reader = AnswerReader::new();
/// reader.add(&serde_json::json!({"type": "message_start",
///     "message": {"type": "message", "id": "msg_1", "usage": {"input_tokens": 7}}}));
/// reader.add(&serde_json::json!({"type": "message_delta", "usage": {"output_tokens": 2}}));
/// let mut exchange = Exchange::default();
/// reader.finish(&mut exchange);
/// assert_eq!(exchange.id.as_deref(), Some("msg_1"));
/// assert_eq!(exchange.usage.map(|it| (it.uncached, it.output)), Some((7, 2)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct AnswerReader {
    /// The usage object as the vendor writes it, merged over all events; null
    /// before the first.
    usage: Value,
    /// The id of the response, such as `msg_1` or `chatcmpl-1`.
    id: Option<String>,
    /// The last reason of a cache miss, such as `system_changed`.
    diagnostics: Option<String>,
    /// The ids of tool uses, in the order of the response.
    tool_ids: Vec<String>,
    /// The first text, which grows while its block is open.
    first_text: Option<String>,
    /// True if the deltas of an Anthropic stream belong to `first_text`.
    is_text_open: bool,
}

impl AnswerReader {
    /// Creates an empty reader.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a whole response, or the text of a stream of server-sent events.
    ///
    /// Of a stream, only lines that begin with `data:` and hold JSON count;
    /// `[DONE]`, comments and the line that a lost connection cut are skipped.
    pub(crate) fn add_text(&mut self, body: &str) {
        if let Ok(value) = serde_json::from_str::<Value>(body) {
            self.add(&value);
            return;
        }
        for line in body.lines() {
            let data = line.strip_prefix("data:").map(str::trim);
            let value = data.and_then(|it| serde_json::from_str::<Value>(it).ok());
            if let Some(value) = value {
                self.add(&value);
            }
        }
    }

    /// Adds a complete response, or one event of a stream.
    ///
    /// An array is a list of events, and a string the text of a response or of
    /// a stream. The response inside a `message`, `response` or `data` key is
    /// read too, which covers `message_start`, `response.completed` and logs
    /// that wrap events.
    pub fn add(&mut self, value: &Value) {
        match value {
            Value::Array(events) => {
                for event in events {
                    self.add(event);
                }
                return;
            }
            Value::String(text) => return self.add_text(text),
            _ => {}
        }
        // The response inside an event of a stream, or of a log of events.
        for key in ["message", "response", "data"] {
            if let Some(inner @ (Value::Object(_) | Value::String(_))) = value.get(key) {
                self.add(inner);
            }
        }
        for key in ["usage", "usageMetadata"] {
            if let Some(usage) = value.get(key) {
                self.merge_usage(usage);
            }
        }
        self.ids(value);
        self.content(value);
        self.deltas(value);
    }

    /// Merges usage. Later figures are totals of the response; a figure that a
    /// later event leaves out, or gives as null or 0, keeps its earlier value.
    fn merge_usage(&mut self, usage: &Value) {
        match (&mut self.usage, usage) {
            (Value::Object(known), Value::Object(new)) => {
                let is_positive = |it: &Value| it.as_u64().is_some_and(|it| it > 0);
                for (key, value) in new {
                    let is_known = known.get(key).is_some_and(is_positive);
                    let is_less = value.is_null() || (is_known && value.as_u64() == Some(0));
                    if !is_less {
                        known.insert(key.clone(), value.clone());
                    }
                }
            }
            (known, Value::Object(_)) => known.clone_from(usage),
            _ => {}
        }
    }

    /// Reads the id of the response and the reason of a cache miss.
    ///
    /// An `id` counts only at the level of a response: blocks and tool calls
    /// have ids too. The reason is `diagnostics.cache_miss_reason` (Anthropic,
    /// a string or an object with `type`) or `prompt_cache_diagnostics.reason`
    /// (OpenAI).
    fn ids(&mut self, value: &Value) {
        let kind = text(value, &["type"]).unwrap_or_default();
        let is_answer = [
            "message",
            "response",
            "chat.completion",
            "chat.completion.chunk",
        ];
        let object = text(value, &["object"]).unwrap_or_default();
        if is_answer.contains(&kind.as_str()) || is_answer.contains(&object.as_str()) {
            self.id = text(value, &["id"]).or(self.id.take());
        }
        let reason = at(value, &["diagnostics", "cache_miss_reason"])
            .and_then(|it| text(it, &["type"]).or(it.as_str().map(str::to_owned)));
        let openai = text(value, &["prompt_cache_diagnostics", "reason"]);
        self.diagnostics = reason.or(openai).or(self.diagnostics.take());
    }

    /// Reads the content of a complete response and the starts of blocks: tool
    /// uses and the first text, for each wire under its own keys.
    fn content(&mut self, value: &Value) {
        let messages = list(value, &["content"]).iter();
        let output = list(value, &["output"]).iter();
        let begun = value.get("content_block").into_iter();
        for block in messages.chain(output).chain(begun) {
            self.block(block);
        }
        for choice in list(value, &["choices"]) {
            for key in ["message", "delta"] {
                let calls = list(choice, &[key, "tool_calls"]).iter();
                self.tool_ids
                    .extend(calls.filter_map(|it| text(it, &["id"])));
                if let Some(part) = text(choice, &[key, "content"]) {
                    self.text(&part);
                }
            }
        }
        for candidate in list(value, &["candidates"]) {
            for part in list(candidate, &["content", "parts"]) {
                self.tool_ids.extend(text(part, &["functionCall", "id"]));
                if let Some(part) = text(part, &["text"]) {
                    self.text(&part);
                }
            }
        }
    }

    /// Reads a content block of Anthropic or an output item of Responses: a
    /// tool use, or a text if it is the first.
    fn block(&mut self, block: &Value) {
        match block.get("type").and_then(Value::as_str) {
            Some("tool_use") => self.tool_ids.extend(text(block, &["id"])),
            Some("function_call" | "custom_tool_call") => {
                self.tool_ids.extend(text(block, &["call_id"]));
            }
            Some("text") if self.first_text.is_none() => {
                let part = text(block, &["text"]).unwrap_or_default();
                // A block of a stream starts empty, and its text follows.
                self.is_text_open = part.is_empty();
                self.first_text = Some(part);
            }
            Some("message") => {
                for part in list(block, &["content"]) {
                    if let Some(part) = text(part, &["text"]).filter(|_| self.first_text.is_none())
                    {
                        self.first_text = Some(part);
                    }
                }
            }
            _ => {}
        }
    }

    /// Appends the deltas of an Anthropic stream to its first text.
    ///
    /// A block that ends empty leaves the text open: the next text block of the
    /// stream is then the first that has one.
    fn deltas(&mut self, value: &Value) {
        match value.get("type").and_then(Value::as_str) {
            Some("content_block_delta") => {
                if let Some(part) = text(value, &["delta", "text"])
                    && self.is_text_open
                    && let Some(all) = &mut self.first_text
                {
                    all.push_str(&part);
                }
            }
            Some("content_block_stop") if self.first_text.as_deref() != Some("") => {
                self.is_text_open = false;
            }
            _ => {}
        }
    }

    /// Appends to the text, which arrives in parts in a stream of Chat
    /// Completions or Gemini.
    fn text(&mut self, part: &str) {
        self.first_text.get_or_insert_default().push_str(part);
    }

    /// Writes the facts into an exchange.
    ///
    /// Usage, id and diagnostics that the exchange already has stay, since a
    /// log knows them better than a response that it may have cut. The ids of
    /// tool uses and the text are replaced.
    pub fn finish(self, exchange: &mut Exchange) {
        exchange.usage = exchange.usage.or(usage_of(&self.usage));
        exchange.id = exchange.id.take().or(self.id);
        exchange.diagnostics = exchange.diagnostics.take().or(self.diagnostics);
        exchange.answer_tool_ids = self.tool_ids;
        exchange.answer_text = self.first_text.filter(|it| !it.is_empty());
    }
}
