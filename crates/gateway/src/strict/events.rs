//! A response as server-sent events.
//!
//! A stream's events and the whole response have the same content. Texts are
//! split into short deltas, so that clients are tested with more than one.
//!
//! ```text
//! event: message_start          message without content, output_tokens 1
//! event: content_block_start    index, the block without its text
//! event: content_block_delta    index, a part of the text, the thinking or the input
//! event: content_block_stop     index
//! event: message_delta          stop_reason, the final usage
//! event: message_stop
//! ```
//!
//! The API also sends `ping` events, which these streams do not have.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::response::{Response, ResponseBlock};
use crate::object::{Object, event};

/// How many characters of a text one delta has.
const DELTA_CHARS: usize = 24;

impl Response {
    /// Returns the stream's events, each a whole frame with its final blank
    /// line.
    ///
    /// The first event has no stop reason and counts one output token;
    /// `message_delta` has the final values. A block's joined deltas are its
    /// text, or its input's JSON.
    ///
    /// ```
    /// use aside_gateway::strict::{Strict, StrictOptions, StrictRequest};
    ///
    /// let mut api = Strict::new(StrictOptions::default());
    /// let body = br#"{"model":"claude-opus-5-5","max_tokens":64,"stream":true,
    ///     "messages":[{"role":"user","content":"Hi"}]}"#;
    /// let events = api.answer(&StrictRequest::new(body))?.events();
    /// assert!(events[0].starts_with("event: message_start\ndata: {"));
    /// assert!(events.iter().all(|event| event.ends_with("\n\n")));
    /// # Ok::<(), aside_gateway::strict::ApiError>(())
    /// ```
    #[must_use]
    pub fn events(&self) -> Vec<String> {
        let mut usage = self.usage.clone();
        // A response that is only a compaction has no output of its own.
        usage.output_tokens = usage.output_tokens.min(1);
        usage.iterations = Vec::new();
        usage.server_tool_use = None;
        let message = Object::default()
            .with("id", &self.id)
            .with("type", "message")
            .with("role", "assistant")
            .with("model", &self.model)
            .with("content", [(); 0])
            .with("stop_reason", ())
            .with("stop_sequence", ())
            .with("usage", usage)
            .given("input_transformations", self.input_transformations.as_ref())
            .given("diagnostics", self.diagnostics.as_ref());
        let mut events = vec![event("message_start", |it| it.with("message", message.end()))];
        for (index, block) in self.content.iter().enumerate() {
            push_block(index, block, &mut events);
        }
        let stop = Object::default().with("stop_reason", &self.stop_reason);
        let stop = stop.with("stop_sequence", ()).end();
        // It has no index: it is about the whole message.
        events.push(event("message_delta", |it| {
            it.with("delta", stop)
                .with("usage", &self.usage)
                .given("context_management", self.context_management.as_ref())
                .given("input_transformations", self.input_transformations.as_ref())
        }));
        events.push(event("message_stop", |it| it));
        events
    }
}

/// Adds a block's events: its start without content, its deltas, its stop.
///
/// A block without deltas on the wire (redacted thinking, compaction, a
/// scripted block) is complete in its start event. A thinking block has one
/// signature delta at its end.
fn push_block(index: usize, block: &ResponseBlock, events: &mut Vec<String>) {
    let mut deltas = Vec::new();
    let delta = |kind, key, text: &str| Object::default().with("type", kind).with(key, text).end();
    let input_delta = |text: &str| delta("input_json_delta", "partial_json", text);
    let begun = match block {
        ResponseBlock::Text { text, citations } => {
            deltas.extend(pieces(text).map(|text| delta("text_delta", "text", text)));
            let cited = citations.as_ref().map(|it| serde_json::from_str(it.get()));
            let cited: Vec<&RawValue> = cited.and_then(Result::ok).unwrap_or_default();
            deltas.extend(cited.into_iter().map(|citation| {
                Object::default().with("type", "citations_delta").with("citation", citation).end()
            }));
            &ResponseBlock::Text {
                text: String::new(),
                citations: citations
                    .as_ref()
                    .map(|_| RawValue::from_string("[]".to_owned()).expect("a list is JSON")),
            }
        }
        ResponseBlock::Thinking { thinking, signature } => {
            deltas.extend(pieces(thinking).map(|text| delta("thinking_delta", "thinking", text)));
            deltas.push(delta("signature_delta", "signature", signature));
            &ResponseBlock::Thinking { thinking: String::new(), signature: String::new() }
        }
        ResponseBlock::ToolUse { id, name, input } => {
            deltas.extend(pieces(input.get()).map(input_delta));
            &ResponseBlock::ToolUse {
                id: id.clone(),
                name: name.clone(),
                input: RawValue::from_string("{}".to_owned()).expect("an object is JSON"),
            }
        }
        ResponseBlock::Raw(raw) => match serde_json::from_str(raw.get()) {
            // The API sends its own tools' input in deltas, too.
            Ok(ServerCall { input }) if input.get() != "{}" => {
                deltas.extend(pieces(input.get()).map(input_delta));
                let begun = raw.get().replacen(input.get(), "{}", 1);
                &ResponseBlock::Raw(RawValue::from_string(begun).expect("the rest is JSON"))
            }
            _ => block,
        },
        whole => whole,
    };
    let at = |it: Object| it.with("index", index);
    events.push(event("content_block_start", |it| at(it).with("content_block", begun)));
    let deltas = deltas.into_iter();
    let deltas = deltas.map(|delta| event("content_block_delta", |it| at(it).with("delta", delta)));
    events.extend(deltas.chain([event("content_block_stop", at)]));
}

/// A call of a tool that the API runs. Other blocks have no input.
#[derive(Deserialize)]
struct ServerCall<'a> {
    #[serde(borrow)]
    input: &'a RawValue,
}

/// Splits a text into pieces with at most [`DELTA_CHARS`] characters.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(DELTA_CHARS);
        let (piece, after) = rest.split_at(end.map_or(rest.len(), |(end, _)| end));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
