//! Provider errors in one form, whatever the body's shape.

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::read::Text;

/// A provider's error, in any of these forms:
///
/// ```text
/// {"type":"error","error":{"type":"api_error","message":"…"},"request_id":"…"}   Anthropic
/// {"error":{"message":"…","type":"invalid_request_error","code":"…"}}            OpenAI
/// {"error":{"code":429,"message":"…","status":"RESOURCE_EXHAUSTED"}}             Google
/// {"code":"…","error":"…"}                                                       xAI
/// {"__type":"Throttling","Message":"…"}                                          AWS
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorBody {
    /// The provider's name for the error, such as `overloaded_error`, `insufficient_quota` or
    /// `RESOURCE_EXHAUSTED`. If nothing else names the error, this is the number in `code`.
    pub kind: Option<String>,
    /// The error's `code` next to its type, such as `context_length_exceeded`.
    pub code: Option<String>,
    /// The provider's message, at most 2,000 characters.
    pub message: String,
    /// The request's id, if the body has it.
    pub request_id: Option<String>,
}

/// The body's members. All are raw, because their types differ between providers.
#[derive(Default, Deserialize)]
struct Outer<'a> {
    /// An object, or a string at xAI.
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    request_id: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
    #[serde(rename = "Message")]
    amazons_message: Option<&'a RawValue>,
    /// AWS's name for the error.
    #[serde(rename = "__type")]
    amazons_type: Option<&'a RawValue>,
    code: Option<&'a RawValue>,
}

/// The object under `error`.
#[derive(Default, Deserialize)]
struct Inner<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    /// Google's name for the error, such as `RESOURCE_EXHAUSTED`.
    status: Option<&'a RawValue>,
    code: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
}

/// A proxy's HTML page may be long; its start is enough to see what it is.
const MAX_MESSAGE_CHARS: usize = 2_000;

impl ErrorBody {
    /// Parses a failed response's body. An unknown form is kept as text, so you also see what a
    /// proxy reports.
    ///
    /// This never fails: bytes that are not UTF-8 are replaced by U+FFFD, and an empty body gives
    /// an empty message.
    #[must_use]
    pub fn parse(body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        Self::in_json(text.trim())
            .unwrap_or_else(|| Self { message: cut(text.trim()), ..Self::default() })
    }

    /// Parses a JSON body with an error.
    ///
    /// `None` if the text is not JSON, or has no message in any known place.
    pub(crate) fn in_json(json: &str) -> Option<Self> {
        // When you request a stream, Gemini puts the error into an array.
        let json = match json.strip_prefix('[') {
            Some(_) => serde_json::from_str::<Vec<&RawValue>>(json).ok()?.first()?.get(),
            None => json,
        };
        let outer: Outer<'_> = serde_json::from_str(json).ok()?;
        let mut body = match outer.error.map(RawValue::get) {
            Some("null") | None => Self {
                kind: word(outer.amazons_type).or_else(|| word(outer.code)),
                message: word(outer.message).or_else(|| word(outer.amazons_message))?,
                code: word(outer.code),
                request_id: None,
            },
            Some(error) if error.starts_with('{') => Self::inner(error)?,
            Some(_) => {
                Self { kind: word(outer.code), message: word(outer.error)?, ..Self::default() }
            }
        };
        body.message = cut(&body.message);
        body.request_id = word(outer.request_id);
        Some(body)
    }

    /// Reads the value under `error`.
    ///
    /// An object without a message is kept as JSON text.
    pub(crate) fn inner(error: &str) -> Option<Self> {
        if !error.starts_with('{') {
            return Some(Self { message: cut(&scalar(error)?), ..Self::default() });
        }
        let inner: Inner<'_> = serde_json::from_str(error).ok()?;
        let code = word(inner.code);
        let kind = word(inner.kind).or_else(|| word(inner.status)).or_else(|| code.clone());
        let message = word(inner.message).unwrap_or_else(|| error.to_owned());
        Some(Self { kind, message: cut(&message), code, request_id: None })
    }
}

/// A string or a number, as text.
fn word(value: Option<&RawValue>) -> Option<String> {
    scalar(value?.get())
}

/// Returns a JSON string or number as text; `None` for null, a boolean, an object or an array.
fn scalar(json: &str) -> Option<String> {
    match json.as_bytes().first()? {
        b'"' => serde_json::from_str::<Text<'_>>(json).ok().map(Text::into_string),
        b'-' | b'0'..=b'9' => Some(json.to_owned()),
        _ => None,
    }
}

/// Returns at most [`MAX_MESSAGE_CHARS`] characters of a text.
fn cut(text: &str) -> String {
    text.chars().take(MAX_MESSAGE_CHARS).collect()
}

impl fmt::Display for ErrorBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Some(kind) => write!(f, "{kind}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: &str) {
        assert_eq!(ErrorBody::parse(body.as_bytes()).to_string(), expected, "{body}");
    }

    #[test]
    fn every_form_is_read() {
        check(
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#,
            "overloaded_error: Overloaded",
        );
        check(
            r#"{"error":{"message":"No.","type":"invalid_request_error","param":null,"code":"x"}}"#,
            "invalid_request_error: No.",
        );
        check(
            r#"{"error":{"code":429,"message":"Slow.","status":"RESOURCE_EXHAUSTED"}}"#,
            "RESOURCE_EXHAUSTED: Slow.",
        );
        check(r#"[{"error":{"code":400,"message":"m"}}]"#, "400: m");
        check(r#"{"code":"The key is wrong","error":"Incorrect"}"#, "The key is wrong: Incorrect");
        check(r#"{"message":"Too many"}"#, "Too many");
        check(r#"{"__type":"Throttling","Message":"m"}"#, "Throttling: m");
        check("<html>Bad Gateway</html>", "<html>Bad Gateway</html>");
        check(r#"{"error":{"details":[1]}}"#, r#"{"details":[1]}"#);
        check("", "");
    }

    #[test]
    fn the_code_is_kept_next_to_the_type() {
        for body in [
            r#"{"error":{"message":"m","type":"invalid_request_error","code":"x"}}"#,
            r#"{"type":"error","code":"x","message":"m","param":null,"sequence_number":2}"#,
            r#"{"error":{"code":"x","message":"m"}}"#,
        ] {
            assert_eq!(ErrorBody::parse(body.as_bytes()).code.as_deref(), Some("x"), "{body}");
        }
    }

    #[test]
    fn the_id_of_the_request_is_kept() {
        let body =
            br#"{"type":"error","error":{"type":"api_error","message":"m"},"request_id":"req_1"}"#;
        assert_eq!(ErrorBody::parse(body).request_id.as_deref(), Some("req_1"));
    }
}
