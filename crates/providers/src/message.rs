//! A response as one message of the Messages API.

use std::sync::Arc;

use aside_messages::wire::{ContentBlock, Extra};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::stop_reason::StopReason;
use crate::usage::ReportedUsage;

/// A complete response in the Anthropic form. When you serialize it with serde, you get a Messages
/// API response body.
///
/// ```json
/// {
///   "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5-5",
///   "content": [{"type": "text", "text": "Hi"}],
///   "stop_reason": "end_turn", "stop_sequence": null,
///   "usage": {"input_tokens": 9, "cache_creation_input_tokens": 0,
///             "cache_read_input_tokens": 0, "output_tokens": 2}
/// }
/// ```
///
/// The keys in `extra` are written before `usage`, in their order. `broken_calls` is not written:
/// the form has no place for a call without a valid input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The response's id from the provider.
    pub id: String,
    /// Which model responded, by the provider's name.
    pub model: String,
    /// The content blocks. Empty ones are left out.
    pub content: Vec<ContentBlock>,
    /// The stop reason; `None` if the response broke off.
    pub stop_reason: Option<StopReason>,
    /// Which stop sequence ended it, if one did and the provider returns it.
    pub stop_sequence: Option<String>,
    /// How many tokens were used.
    pub usage: ReportedUsage,
    /// The message's other keys.
    pub extra: Extra,
    /// Calls left out of `content` because their input is not a JSON object: the stream broke off,
    /// or the model wrote invalid JSON.
    pub broken_calls: Vec<BrokenCall>,
}

/// A call whose input is not a JSON object.
///
/// The Messages API would refuse it in the history, so it cannot be a content block. You can report
/// it, or start the request again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenCall {
    /// The call's id.
    pub id: Arc<str>,
    /// Which tool was called.
    pub name: Arc<str>,
    /// The part of the input that arrived, such as `{"command":"ls`; never empty.
    pub input: String,
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("type", "message")?;
        map.serialize_entry("role", "assistant")?;
        map.serialize_entry("model", &self.model)?;
        map.serialize_entry("content", &self.content)?;
        map.serialize_entry("stop_reason", &self.stop_reason)?;
        map.serialize_entry("stop_sequence", &self.stop_sequence)?;
        for (key, value) in &self.extra.0 {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry("usage", &self.usage)?;
        map.end()
    }
}
