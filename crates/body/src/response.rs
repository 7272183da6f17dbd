//! The facts that a record states about a response: complete ones and streams,
//! of every wire.
//!
//! The reader does not know the wire. It looks for the keys of all of them, at
//! the levels where a wire can have them:
//!
//! ```text
//! Messages       {"type":"message","id","content":[…],"usage"}, or the events message_start …
//! Responses      {"object":"response","id","output":[…],"usage"}, or response.completed
//! Chat           {"object":"chat.completion","id","choices":[…],"usage"}, or its chunks
//! Gemini         {"candidates":[{"content":{"parts":[…]}}],"responseId","usageMetadata"}
//! ```

mod figures;
mod members;
mod merged_usage;

use std::borrow::Cow;

use aside_json::{Kind, Tape, Value};
use aside_models::Usage;
use serde::de::DeserializeOwned;

use members::{Members, items, text};
use merged_usage::MergedUsage;

/// How many bytes of ids and text are kept. What follows is left out, since a
/// stream may have no end.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// How deep arrays, wrappers and strings may be around a response. Logs have up to
/// four levels.
const MAX_NESTING: usize = 16;

/// The facts of a response, collected event by event.
///
/// A stream is added one event at a time, a complete response with one call.
/// Values of an unknown shape add nothing, so a log of mixed events can be added
/// as it is. Later events replace the values of earlier ones.
///
/// ```
/// use aside_body::response::Facts;
///
/// let mut facts = Facts::default();
/// facts.add_text(br#"{"type":"message_start","message":{"type":"message","id":"msg_1","usage":{"input_tokens":7}}}"#);
/// facts.add_text(br#"{"type":"message_delta","usage":{"output_tokens":2}}"#);
/// assert_eq!(facts.id.as_deref(), Some("msg_1"));
/// assert_eq!(facts.usage().map(|it| (it.uncached, it.output)), Some((7, 2)));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Facts {
    /// The id, such as `msg_1` or `chatcmpl-1`.
    pub id: Option<String>,
    /// The model that responded, which may differ from the one in the request.
    pub model: Option<String>,
    /// Why the response ended, as the vendor names it: `end_turn`, `stop`, `STOP`.
    pub stop_reason: Option<String>,
    /// The type of an error, such as `overloaded_error`.
    pub error: Option<String>,
    /// The message of an error, as the vendor wrote it.
    pub error_message: Option<String>,
    /// The reason of a cache miss, such as `system_changed`.
    pub cache_miss: Option<String>,
    /// The ids of tool calls, in the order of the response.
    pub call_ids: Vec<String>,
    /// The list of output items of a response of Responses, as JSON.
    pub output: Option<String>,
    /// The first text, which grows while its block is open.
    text: Option<String>,
    /// True if the deltas of a Messages stream belong to `text`.
    is_text_open: bool,
    usage: MergedUsage,
    /// The bytes of ids and text.
    kept: usize,
}

impl Facts {
    /// Adds a whole response, or the text of a stream of server-sent events.
    ///
    /// Of a stream, only lines that begin with `data:` and hold JSON count;
    /// `[DONE]`, comments and the line that a lost connection cut are skipped.
    pub fn add_text(&mut self, text: &[u8]) {
        self.text_of_response(text, MAX_NESTING);
    }

    /// Adds a complete response, or one event of a stream.
    ///
    /// An array is a list of events, and a string the text of a response or of a
    /// stream. The response inside a `message`, `response` or `data` key is read
    /// too, which covers `message_start`, `response.completed` and logs that wrap
    /// events.
    pub fn add(&mut self, value: Value<'_>) {
        self.value(value, MAX_NESTING);
    }

    /// Returns the first text that is not empty.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref().filter(|text| !text.is_empty())
    }

    /// Returns the billed tokens, if an event has figures of any vendor.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        self.usage.read(|usage| Usage::from_any_vendor(usage))?
    }

    /// Returns the usage as the type of a vendor, merged over all events: a figure
    /// that a later event leaves out, or gives as null or 0, keeps its value.
    #[must_use]
    pub fn usage_as<T: DeserializeOwned>(&self) -> Option<T> {
        self.usage.read(|usage| T::deserialize(usage).ok())?
    }

    /// Returns the value of a member of the merged usage, as JSON.
    #[must_use]
    pub fn usage_member(&self, key: &str) -> Option<&str> {
        self.usage.member(key)
    }

    /// Returns the last usage object, as it is written.
    #[must_use]
    pub fn last_usage(&self) -> Option<&str> {
        self.usage.last()
    }

    fn text_of_response(&mut self, text: &[u8], levels: usize) {
        if let Ok(tape) = Tape::parse(text) {
            return self.value(tape.root(), levels);
        }
        for line in text.split(|byte| *byte == b'\n') {
            let data = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii);
            if let Some(Ok(tape)) = data.map(Tape::parse) {
                self.value(tape.root(), levels);
            }
        }
    }

    /// `levels` is how deep values in the value are still read.
    fn value(&mut self, value: Value<'_>, levels: usize) {
        let Some(levels) = levels.checked_sub(1) else {
            return;
        };
        match value.kind() {
            Kind::Array => {
                for event in value.items() {
                    self.value(event, levels);
                }
            }
            Kind::String => {
                let text = value.text().unwrap_or_default();
                self.text_of_response(text.as_bytes(), levels);
            }
            Kind::Object => {
                let members = Members::new(value);
                // The facts of the response precede those of its wrapper.
                self.envelope(&members);
                for inner in members.inner.into_iter().flatten() {
                    if matches!(inner.kind(), Kind::Object | Kind::String) {
                        self.value(inner, levels);
                    }
                }
                self.content(&members);
                self.deltas(&members);
            }
            _ => {}
        }
    }

    /// Reads everything but the content.
    fn envelope(&mut self, members: &Members<'_>) {
        for usage in members.usage.into_iter().flatten() {
            self.usage.add(usage);
        }
        let id = members.id.filter(|_| members.is_response());
        let ends = items(members.choices).map(|it| it.text_of("finish_reason"));
        let ends = ends.chain(items(members.candidates).map(|it| it.text_of("finishReason")));
        let stop = members.delta.and_then(|it| it.get("stop_reason"));
        let stop = members.stop_reason.or(stop).and_then(Value::text);
        let error = members.error;
        let miss = members.diagnostics;
        let miss = miss.and_then(|it| it.get("cache_miss_reason"));
        let openai = members.openai_diagnostics;
        for (fact, read) in [
            (&mut self.id, text(id).or(text(members.gemini_id))),
            (
                &mut self.model,
                text(members.model).or(text(members.gemini_model)),
            ),
            (&mut self.stop_reason, stop.or(ends.flatten().last())),
            (
                &mut self.error,
                error.and_then(|it| it.text_of("type").or(it.text_of("status"))),
            ),
            (
                &mut self.error_message,
                error.and_then(|it| it.text_of("message").or(it.text())),
            ),
            (
                &mut self.cache_miss,
                miss.and_then(|it| it.text_of("type").or(it.text()))
                    .or(openai.and_then(|it| it.text_of("reason"))),
            ),
        ] {
            if let Some(read) = read {
                *fact = Some(read.into_owned());
            }
        }
    }

    /// Reads the content of a complete response and the starts of blocks: calls
    /// and the first text, for each wire under its own keys.
    fn content(&mut self, members: &Members<'_>) {
        if let Some(output) = members.output.filter(|it| it.items().next().is_some())
            && let Some(kept) = self.keep(Cow::Borrowed(output.raw()))
        {
            self.output = Some(kept.into_owned());
        }
        let blocks = items(members.content).chain(items(members.output));
        for block in blocks.chain(members.content_block) {
            self.block(block);
        }
        for choice in items(members.choices) {
            let messages = ["message", "delta"].map(|key| choice.get(key));
            for message in messages.into_iter().flatten() {
                for call in items(message.get("tool_calls")) {
                    self.call(call.text_of("id"));
                }
                self.append(message.text_of("content"));
            }
        }
        for candidate in items(members.candidates) {
            let content = candidate.get("content");
            for part in items(content.and_then(|it| it.get("parts"))) {
                let call = part.get("functionCall");
                self.call(call.and_then(|it| it.text_of("id")));
                self.append(part.text_of("text"));
            }
        }
    }

    /// Reads a content block of Messages or an output item of Responses: a call,
    /// or a text if it is the first.
    fn block(&mut self, block: Value<'_>) {
        match &*block.tag() {
            "tool_use" => self.call(block.text_of("id")),
            "function_call" | "custom_tool_call" => self.call(block.text_of("call_id")),
            "text" if self.text.is_none() => {
                let text = block.text_of("text").unwrap_or_default();
                // A block of a stream starts empty, and its text follows.
                self.is_text_open = text.is_empty();
                self.append(Some(text));
            }
            "message" if self.text.is_none() => {
                let mut texts = items(block.get("content")).map(|it| it.text_of("text"));
                self.append(texts.find_map(|text| text));
            }
            _ => {}
        }
    }

    /// Appends the deltas of a Messages stream to its first text.
    ///
    /// A block that ends empty leaves the text open: the next text block of the
    /// stream is then the first that has one.
    fn deltas(&mut self, members: &Members<'_>) {
        match text(members.kind).as_deref() {
            Some("content_block_delta") if self.is_text_open => {
                self.append(members.delta.and_then(|it| it.text_of("text")));
            }
            Some("content_block_stop") if self.text.as_deref() != Some("") => {
                self.is_text_open = false;
            }
            _ => {}
        }
    }

    /// Appends to the text, which arrives in parts in a stream.
    fn append(&mut self, part: Option<Cow<'_, str>>) {
        if let Some(part) = part.and_then(|part| self.keep(part)) {
            self.text.get_or_insert_default().push_str(&part);
        }
    }

    fn call(&mut self, id: Option<Cow<'_, str>>) {
        let id = id.and_then(|id| self.keep(id));
        self.call_ids.extend(id.map(Cow::into_owned));
    }

    /// Counts the bytes of a text; `None` once there are too many, so that no text
    /// has a gap.
    fn keep<'t>(&mut self, text: Cow<'t, str>) -> Option<Cow<'t, str>> {
        // An id takes memory even if it is empty.
        self.kept = self.kept.saturating_add(text.len() + size_of::<String>());
        (self.kept <= MAX_KEPT_BYTES).then_some(text)
    }
}

#[cfg(test)]
mod tests;
