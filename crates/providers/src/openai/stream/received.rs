//! The chunks as a server writes them.
//!
//! Every member is optional, and `null` is the same as a missing one: compatible servers
//! leave out different members. Members that are not listed are ignored.

use std::borrow::Cow;

use aside_models::usage::Chat;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::read::{Text, delta, string};
use crate::stream_error::{StreamError, parse};

/// A chunk of a stream, or a whole completion.
///
/// ```json
/// {"id": "chatcmpl-1", "model": "gpt-4.1", "choices": [
///   {"index": 0, "delta": {"content": "Hi"}, "finish_reason": null}]}
/// {"id": "chatcmpl-1", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
/// ```
#[derive(Deserialize)]
pub(super) struct Chunk<'a> {
    /// The id of the response, the same in every chunk.
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    /// The model that responds.
    pub(super) model: Option<Text<'a>>,
    /// The choices; empty in the chunk with the usage.
    pub(super) choices: Option<Vec<Choice<'a>>>,
    /// The usage of the whole request, in the last chunk on most servers.
    pub(super) usage: Option<Chat>,
    /// An error in mid-stream, or in place of a completion.
    pub(super) error: Option<&'a RawValue>,
}

/// One of the alternative responses, of which a request gets one.
#[derive(Deserialize)]
pub(super) struct Choice<'a> {
    /// The number of the choice, from 0.
    pub(super) index: Option<u64>,
    /// The next pieces of the message, in a stream.
    #[serde(borrow)]
    pub(super) delta: Option<Message<'a>>,
    /// The whole message, in a response that is not streamed. Boxed, since chunks have none.
    pub(super) message: Option<Box<Message<'a>>>,
    /// Such as `stop`, in the last chunk of the choice.
    pub(super) finish_reason: Option<Text<'a>>,
}

/// A message of the model, or pieces of one.
#[derive(Deserialize)]
pub(super) struct Message<'a> {
    /// Thinking in plain text, which some servers return.
    #[serde(borrow, default, deserialize_with = "delta")]
    pub(super) reasoning_content: Option<Text<'a>>,
    /// The name of the field on some servers.
    pub(super) reasoning: Option<Text<'a>>,
    /// Text, and on some servers thinking next to it.
    #[serde(borrow, default)]
    pub(super) content: Content<'a>,
    /// The text with which the model refuses; it becomes text, and the stop reason a
    /// refusal.
    pub(super) refusal: Option<Text<'a>>,
    /// Calls, or pieces of calls.
    pub(super) tool_calls: Option<Vec<ToolCall<'a>>>,
    /// The only call, or a piece of it, in the older form.
    pub(super) function_call: Option<Function<'a>>,
}

/// A message's content: a string, or a list of parts.
///
/// ```json
/// [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}, {"type": "text", "text": "Hi"}]
/// ```
#[derive(Default)]
pub(super) struct Content<'a> {
    pub(super) thinking: String,
    pub(super) text: Text<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Option::<&RawValue>::deserialize(deserializer)?;
        json.map_or(Ok(Self::default()), |json| Self::of(json.get())).map_err(D::Error::custom)
    }
}

impl<'a> Content<'a> {
    fn of(json: &'a str) -> Result<Self, serde_json::Error> {
        if !json.starts_with('[') {
            return Ok(Self { text: string(json)?, ..Self::default() });
        }
        let (mut thinking, mut text) = (String::new(), String::new());
        for part in serde_json::from_str::<Vec<Part<'_>>>(json)? {
            match part.thinking.map(RawValue::get) {
                Some(inner) if inner.starts_with('[') => {
                    let inner = serde_json::from_str::<Vec<Part<'_>>>(inner)?.into_iter();
                    thinking.extend(inner.filter_map(|it| Some(it.text?.0)));
                }
                Some(inner) => thinking.push_str(&string(inner)?.0),
                None => {}
            }
            text.push_str(&part.text.unwrap_or_default().0);
        }
        Ok(Self { thinking, text: Text(text.into()) })
    }
}

/// A part of a message's content.
#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default, deserialize_with = "delta")]
    text: Option<Text<'a>>,
    /// A text, or a list of parts with texts.
    #[serde(borrow)]
    thinking: Option<&'a RawValue>,
}

/// A call, or a piece of one: the first has the id and the name, the others only
/// arguments.
#[derive(Default, Deserialize)]
pub(super) struct ToolCall<'a> {
    /// The number of the call in the message, from 0.
    pub(super) index: Option<u64>,
    /// The id of the call.
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    /// The name and the arguments.
    pub(super) function: Option<Function<'a>>,
    /// The name and the input, in a call of a custom tool.
    pub(super) custom: Option<Function<'a>>,
}

/// The function or the custom tool of a call.
#[derive(Deserialize)]
pub(super) struct Function<'a> {
    /// The name, in the first piece.
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    /// A piece of the input, which is JSON in a string.
    pub(super) arguments: Option<&'a RawValue>,
    /// A piece of a custom tool's input, which is plain text.
    pub(super) input: Option<Text<'a>>,
}

/// Returns the JSON text of a piece of arguments. It is in a string; some servers write
/// the object itself, which is used as it is. Other values, such as `null`, are empty.
pub(super) fn arguments_text(raw: &RawValue) -> Result<Cow<'_, str>, StreamError> {
    match raw.get().as_bytes().first() {
        Some(b'"') => parse(raw.get()).map(|Text(text)| text),
        Some(b'{') => Ok(Cow::Borrowed(raw.get())),
        _ => Ok(Cow::Borrowed("")),
    }
}
