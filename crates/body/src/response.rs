//! What a record says about a response, complete or streamed, on any wire.
//!
//! The reader does not know the wire. It looks for every wire's keys, at the levels where they can
//! be:
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
use aside_models::usage::Billed;
use serde::de::DeserializeOwned;

use members::{Members, items, text};
use merged_usage::MergedUsage;

/// How many bytes of ids and text to keep. The rest is left out, since a stream may never end.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// How deep a response may be nested in arrays, wrappers and strings. Logs have up to four levels.
const MAX_NESTING: usize = 16;

/// A response's facts, collected event by event.
///
/// Add a stream one event at a time, or a complete response with one call. Values in an unknown
/// shape add nothing, so you can add a log with mixed events as it is. Later events replace earlier
/// values.
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
    /// The model that responded, which may not be the one requested.
    pub model: Option<String>,
    /// Why the response ended, in the vendor's word: `end_turn`, `stop`, `STOP`.
    pub stop_reason: Option<String>,
    /// An error's type, such as `overloaded_error`.
    pub error: Option<String>,
    /// An error's message, in the vendor's words.
    pub error_message: Option<String>,
    /// Why the cache missed, such as `system_changed`.
    pub cache_miss: Option<String>,
    /// Tool call ids, in the order of the response.
    pub call_ids: Vec<String>,
    /// The list of output items of a response of Responses, as JSON.
    pub output: Option<String>,
    /// The first text; grows while its block is open.
    text: Option<String>,
    /// The choice or candidate that `text` is of, by its index.
    choice: Option<i64>,
    /// Whether a Messages stream's deltas belong to `text`.
    is_text_open: bool,
    usage: MergedUsage,
    /// How many bytes of ids and text are kept.
    kept: usize,
}

impl Facts {
    /// Adds a whole response, or a server-sent event stream as text.
    ///
    /// In a stream, only `data:` lines that hold JSON count; `[DONE]`, comments and a line that a
    /// lost connection cut off are skipped.
    pub fn add_text(&mut self, text: &[u8]) {
        self.text_of_response(text, MAX_NESTING);
    }

    /// Adds a complete response, or one event from a stream.
    ///
    /// An array is taken as a list of events, and a string as the text of a response or a stream. A
    /// response under `message`, `response` or `data` is read too: this covers `message_start`,
    /// `response.completed` and logs that wrap events.
    pub fn add(&mut self, value: Value<'_>) {
        self.value(value, MAX_NESTING);
    }

    /// Returns the first text that is not empty.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref().filter(|text| !text.is_empty())
    }

    /// Returns the billed tokens, if an event has figures from any vendor.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        self.billed()?.known()
    }

    /// Returns the billed tokens with those of other models.
    #[must_use]
    pub fn billed(&self) -> Option<Billed> {
        self.usage.read(|usage| Billed::from_any_vendor(usage))?
    }

    /// Returns usage as a vendor's type, merged over all events: a figure keeps its value when a
    /// later event leaves it out, or gives null or 0.
    #[must_use]
    pub fn usage_as<T: DeserializeOwned>(&self) -> Option<T> {
        self.usage.read(|usage| T::deserialize(usage).ok())?
    }

    /// Returns a member's value in the merged usage, as JSON.
    #[must_use]
    pub fn usage_member(&self, key: &str) -> Option<&str> {
        self.usage.member(key)
    }

    /// Returns how many of the output's tokens are reasoning (Responses).
    #[must_use]
    pub fn reasoning_tokens(&self) -> Option<u64> {
        let details = Tape::parse(self.usage_member("output_tokens_details")?.as_bytes()).ok()?;
        details.root().get("reasoning_tokens")?.raw().parse().ok()
    }

    /// Returns the usage objects of all events, merged, as JSON.
    #[must_use]
    pub fn merged_usage(&self) -> Option<String> {
        self.usage.object()
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

    /// `levels` is how much deeper to read.
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
                // A response's facts come before its wrapper's.
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

    /// Reads everything but content.
    fn envelope(&mut self, members: &Members<'_>) {
        for usage in members.usage.into_iter().flatten() {
            self.usage.add(usage);
        }
        let id = members.id.filter(|_| members.is_response());
        let ends = items(members.choices).map(|it| it.text_of("finish_reason"));
        let ends = ends.chain(items(members.candidates).map(|it| it.text_of("finishReason")));
        let stop = members.delta.and_then(|it| it.get("stop_reason"));
        let stop = members.stop_reason.or(stop).and_then(Value::text);
        let is_error = text(members.kind).as_deref() == Some("error");
        // OpenAI also writes an error's members into the event itself.
        let (code, message) = match members.error {
            Some(error) => {
                let kind = error.text_of("type").or(error.text_of("status"));
                let code = kind.or(error.text_of("code"));
                (code, error.text_of("message").or(error.text()))
            }
            None if is_error => {
                let code = text(members.code).unwrap_or("error".into());
                (Some(code), text(members.inner[0]))
            }
            None => (None, None),
        };
        let miss = members.diagnostics;
        let miss = miss.and_then(|it| it.get("cache_miss_reason"));
        let openai = members.openai_diagnostics;
        for (fact, read) in [
            (&mut self.id, text(id).or(text(members.gemini_id))),
            (&mut self.model, text(members.model).or(text(members.gemini_model))),
            (&mut self.stop_reason, stop.or(ends.flatten().last())),
            (&mut self.error, code),
            (&mut self.error_message, message),
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

    /// Reads complete content and the starts of blocks: calls and the first text, under each wire's
    /// own keys.
    fn content(&mut self, members: &Members<'_>) {
        let output = members.output.filter(|it| it.items().next().is_some());
        if let Some(output) = output
            && let Some(kept) = self.keep(Cow::Borrowed(output.raw()))
        {
            self.output = Some(kept.into_owned());
        }
        // A record has both, with the same calls and text.
        for block in items(output.or(members.content)).chain(members.content_block) {
            self.block(block);
        }
        for (position, choice) in (0..).zip(items(members.choices)) {
            let messages = ["message", "delta"].map(|key| choice.get(key));
            for message in messages.into_iter().flatten() {
                for call in items(message.get("tool_calls")) {
                    self.call(call.text_of("id"));
                }
                self.append_of(choice, position, message.text_of("content"));
            }
        }
        for (position, candidate) in (0..).zip(items(members.candidates)) {
            let content = candidate.get("content");
            for part in items(content.and_then(|it| it.get("parts"))) {
                let call = part.get("functionCall");
                self.call(call.and_then(|it| it.text_of("id")));
                if !part.get("thought").is_some_and(Value::is_true) {
                    self.append_of(candidate, position, part.text_of("text"));
                }
            }
        }
    }

    /// Reads a Messages content block or a Responses output item: a call, or a text when it is the
    /// first.
    fn block(&mut self, block: Value<'_>) {
        match &*block.tag() {
            "tool_use" => self.call(block.text_of("id")),
            "function_call" | "custom_tool_call" => self.call(block.text_of("call_id")),
            "text" if self.text().is_none() => {
                let text = block.text_of("text").unwrap_or_default();
                // In a stream a block starts empty, and its text follows.
                self.is_text_open = text.is_empty();
                self.append(Some(text));
            }
            // The model that goes on with the response, and is billed for it.
            "fallback" => {
                let model = block.get("to").and_then(|it| it.text_of("model"));
                self.model = model.map(Cow::into_owned).or(self.model.take());
            }
            "message" if self.text().is_none() => {
                let mut texts = items(block.get("content")).filter_map(|it| it.text_of("text"));
                self.append(texts.find(|text| !text.is_empty()));
            }
            _ => {}
        }
    }

    /// Appends a Messages stream's deltas to its first text.
    ///
    /// A block that ends empty leaves the text open: the next text block may then be the first to
    /// have one.
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

    /// Appends a part of one choice's text, unless the first text is another's. `position` is the
    /// index of a choice that has none.
    fn append_of(&mut self, choice: Value<'_>, position: i64, part: Option<Cow<'_, str>>) {
        let Some(part) = part.filter(|part| !part.is_empty()) else {
            return;
        };
        let index = choice.get("index").and_then(Value::integer).unwrap_or(position);
        if *self.choice.get_or_insert(index) == index {
            self.append(Some(part));
        }
    }

    /// Text arrives in parts when streamed.
    fn append(&mut self, part: Option<Cow<'_, str>>) {
        if let Some(part) = part.and_then(|part| self.keep(part)) {
            self.text.get_or_insert_default().push_str(&part);
        }
    }

    fn call(&mut self, id: Option<Cow<'_, str>>) {
        let id = id.and_then(|id| self.keep(id));
        self.call_ids.extend(id.map(Cow::into_owned));
    }

    /// Counts a text's bytes; `None` once there are too many, so that no text has a gap.
    fn keep<'t>(&mut self, text: Cow<'t, str>) -> Option<Cow<'t, str>> {
        // Even an empty id takes memory.
        self.kept = self.kept.saturating_add(text.len() + size_of::<String>());
        (self.kept <= MAX_KEPT_BYTES).then_some(text)
    }
}

/// Returns the ids of the reasoning in a list of output items.
///
/// ```
/// use aside_body::response::reasoning_ids;
///
/// let output = r#"[{"type":"reasoning","id":"rs_1","summary":[]},{"type":"message","id":"msg_1"}]"#;
/// assert_eq!(reasoning_ids(output), ["rs_1"]);
/// ```
#[must_use]
pub fn reasoning_ids(output: &str) -> Vec<String> {
    let Ok(output) = Tape::parse(output.as_bytes()) else {
        return Vec::new();
    };
    let reasoning = output.root().items().filter(|it| it.tag() == "reasoning");
    reasoning.filter_map(|it| it.text_of("id")).map(Cow::into_owned).collect()
}

#[cfg(test)]
mod tests;
