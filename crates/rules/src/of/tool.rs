//! Tool definitions.

use aside_json::{Kind, Tape, Value, excerpt};
use aside_models::Wire;

/// The maximum length of a name; its characters are all of one byte.
const MAX_NAME_BYTES: usize = 64;

/// Returns true if the servers of a wire accept the name of a tool (rule `tool-name`):
/// `[a-zA-Z0-9_-]{1,64}`; on Gemini a name that begins with a letter or `_`, whatever follows.
///
/// ```
/// use aside_rules::{Wire, of::tool};
///
/// assert!(tool::takes_name(Wire::Messages, "read_file"));
/// assert!(!tool::takes_name(Wire::Messages, "read file"));
/// ```
#[must_use]
pub fn takes_name(wire: Wire, name: &str) -> bool {
    if wire == Wire::GenerateContent {
        return name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    }
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_valid)
}

/// Returns true if the Messages API accepts the `input_schema` of a tool (rule `tool-schema`): a
/// tool that the caller runs needs a schema of the type `object`, one that the API runs none.
///
/// `kind` is the `type` of the tool, `schema` its schema as JSON.
#[must_use]
pub fn takes_schema(kind: Option<&str>, schema: Option<&str>) -> bool {
    let Ok(tape) = schema.map(|it| Tape::parse(it.as_bytes())).transpose() else {
        return false;
    };
    let root = tape.as_ref().map(Tape::root);
    let is_object = root.is_none_or(|it| it.kind() == Kind::Object);
    is_object && fault_of_schema(kind.unwrap_or_default(), root).is_none()
}

/// Returns the fault of the `input_schema` of a tool in a request, as JSON (rule `tool-schema`). A
/// tool that the API runs has none.
///
/// `kind` is the `type` of the tool, empty if it has none.
#[must_use]
pub fn schema_fault(kind: &str, schema: Option<&str>) -> Option<String> {
    match schema.map(|schema| Tape::parse(schema.as_bytes())) {
        Some(Ok(tape)) => fault_of_schema(kind, Some(tape.root())),
        _ => fault_of_schema(kind, None),
    }
}

/// As [`schema_fault`], of a schema that is a part of a body.
pub(crate) fn fault_of_schema(kind: &str, schema: Option<Value<'_>>) -> Option<String> {
    if !is_custom(kind) {
        return None;
    }
    let Some(schema) = schema else {
        return Some("none".to_owned());
    };
    let shown = || excerpt(schema.raw());
    match schema.kind() {
        Kind::Object if is_object_schema(schema) => None,
        Kind::Object => Some(format!("{}, without the type \"object\"", shown())),
        _ => Some(shown()),
    }
}

/// Returns true for the type of a tool that the caller runs.
fn is_custom(kind: &str) -> bool {
    matches!(kind, "" | "custom")
}

/// Returns true for the schema of an object.
fn is_object_schema(schema: Value<'_>) -> bool {
    schema.text_of("type").as_deref() == Some("object")
}
