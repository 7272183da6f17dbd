//! The wire types as `serde_json` and other JSON deserializers read them: by this module's liberal
//! reader, and with its errors.

use aside_json::Path;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::raw::RawJson;
use super::read::{Read, Reader, document, parsed};
use super::{
    CacheControl, ContentBlock, Document, Image, Message, ReadError, RedactedThinking, Request,
    ResultContent, Role, Text, Thinking, ThinkingConfig, Tool, ToolChoice, ToolResult, ToolUse,
};

fn read<T: Read>(raw: &RawJson) -> Result<T, ReadError> {
    raw.with_value(|it| T::read(it, Path::Root, &mut Reader::default()))
}

/// Implements `Deserialize`, for deserializers in `serde_json`, and `TryFrom<Value>`. Repairs of
/// lone surrogates are not reported; for these, use the type's function `parse`.
macro_rules! from_json {
    ($($type:ty),* $(,)?) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read(&RawJson::deserialize(deserializer)?).map_err(D::Error::custom)
            }
        }

        impl TryFrom<Value> for $type {
            type Error = ReadError;

            fn try_from(value: Value) -> Result<Self, ReadError> {
                Self::try_from(&value)
            }
        }

        impl TryFrom<&Value> for $type {
            type Error = ReadError;

            fn try_from(value: &Value) -> Result<Self, ReadError> {
                document(value.to_string().as_bytes()).map(|it| it.value)
            }
        }
    )*};
}

from_json!(
    CacheControl,
    ContentBlock,
    Document,
    Image,
    Message,
    RedactedThinking,
    Request,
    ResultContent,
    Role,
    Text,
    Thinking,
    ThinkingConfig,
    Tool,
    ToolChoice,
    ToolResult,
    ToolUse,
);

impl Message {
    /// Reads the last message by the user in an array of messages, and returns it with its index.
    ///
    /// # Errors
    /// `messages` is no array, that message has another shape, or a later one is not of the
    /// assistant or the system: on other wires a tool's result is a message of its own, and the
    /// last one by the user may be far above. The index is in the path.
    pub fn last_of_user(messages: &Value) -> Result<Option<(usize, Self)>, ReadError> {
        let json = |value: &Value| value.to_string().into_bytes();
        let Value::Array(list) = messages else {
            let (json, at) = (json(messages), Path::Root);
            return Err(ReadError::expected(Vec::<Self>::EXPECTED, parsed(&json, at)?.root(), at));
        };
        let Some(index) = list.iter().rposition(|message| message["role"] == "user") else {
            return Ok(None);
        };
        let is_foreign =
            |message: &Value| !["assistant", "system"].iter().any(|role| message["role"] == *role);
        if let Some(later) = list[index + 1..].iter().position(is_foreign) {
            let index = index + 1 + later;
            let (json, at) = (json(&list[index]), Path::Index(&Path::Root, index));
            let expected = "a message of the user, the assistant or the system";
            return Err(ReadError::expected(expected, parsed(&json, at)?.root(), at));
        }
        let (json, at) = (json(&list[index]), Path::Index(&Path::Root, index));
        let message = Self::read(parsed(&json, at)?.root(), at, &mut Reader::default())?;
        Ok(Some((index, message)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_becomes_a_request_and_a_request_a_value() {
        let value = json!({
            "model": "m", "max_tokens": 1, "system": "Be kind.",
            "messages": [{"role": "user", "content": "Hi"}], "unknown": {"kept": true}
        });
        let request = Request::try_from(&value).unwrap();
        assert_eq!(serde_json::from_value::<Request>(value).unwrap(), request);
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request);
        let back = serde_json::to_value(&request).unwrap();
        assert_eq!(back["unknown"], json!({"kept": true}));
        assert_eq!(Request::try_from(back).unwrap(), request);
    }

    #[test]
    fn lists_of_wire_types_are_read() {
        let messages: Vec<Message> =
            serde_json::from_str(r#"[{"role":"user","content":"Hi"}]"#).unwrap();
        assert_eq!(messages[0].role, Role::User);
        let tools: Vec<Tool> = serde_json::from_value(json!([{"name": "Read"}])).unwrap();
        assert_eq!(tools[0].name, "Read");
    }

    #[test]
    fn an_error_has_the_path_and_the_expected_type() {
        let error = Message::try_from(json!({"role": "user", "content": 1})).unwrap_err();
        assert_eq!(error.path(), "content");
        let error = serde_json::from_str::<Message>(r#"{"content":"a"}"#).unwrap_err();
        assert!(error.to_string().contains("role: expected"), "{error}");
    }
}
