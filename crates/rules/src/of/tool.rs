//! Tool definitions.

use aside_json::{Kind, Value, excerpt};
use aside_models::{Platform, Wire};

use super::schema::{self, Repaired, SchemaFault, SchemaUse};
use crate::rule::Rule;
use crate::table::{TOOL_CHANGE_CONFLICT, TOOL_CHANGE_REFERENCE, TOOL_SCHEMA};

/// How long a name may be; each of its characters has one byte.
const MAX_NAME_BYTES: usize = 64;
/// How long a name may be on Gemini.
const MAX_GEMINI_NAME_BYTES: usize = 128;
/// How many tools OpenAI's servers take in the list of a request.
pub(crate) const MAX_OPENAI_TOOLS: usize = 128;

/// Returns true if a wire's servers accept this tool name (rule `tool-name`):
/// `[a-zA-Z0-9_-]{1,64}`; on Gemini `[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}`.
///
/// ```
/// use aside_rules::{Wire, of::tool};
///
/// assert!(tool::takes_name(Wire::Messages, "read_file"));
/// assert!(!tool::takes_name(Wire::Messages, "read file"));
/// ```
#[must_use]
pub fn takes_name(wire: Wire, name: &str) -> bool {
    let is_gemini = wire == Wire::GenerateContent;
    let max_bytes = if is_gemini { MAX_GEMINI_NAME_BYTES } else { MAX_NAME_BYTES };
    let is_first = |first: char| !is_gemini || first.is_ascii_alphabetic() || first == '_';
    let is_valid = |byte: u8| {
        let is_plain = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        is_plain || (is_gemini && matches!(byte, b'.' | b':'))
    };
    (1..=max_bytes).contains(&name.len())
        && name.starts_with(is_first)
        && name.bytes().all(is_valid)
}

/// Returns how many tools a platform's servers take in the list of a request (rule `tool-count`);
/// `None` without a known limit.
///
/// ```
/// use aside_rules::{models::Platform, of::tool::max_tools};
///
/// assert_eq!(max_tools(Platform::OpenAi), Some(128));
/// assert_eq!(max_tools(Platform::FirstParty), None);
/// ```
#[must_use]
pub const fn max_tools(platform: Platform) -> Option<usize> {
    match platform {
        Platform::OpenAi | Platform::Azure => Some(MAX_OPENAI_TOOLS),
        _ => None,
    }
}

/// Splits a name such as `mcp__docs__search` into MCP server and tool; `None` for any other tool.
///
/// ```
/// use aside_rules::of::tool::mcp_names;
///
/// assert_eq!(mcp_names("mcp__docs__search"), Some(("docs", "search")));
/// assert_eq!(mcp_names("search"), None);
/// ```
#[must_use]
pub fn mcp_names(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

/// What a `tool_addition` or a `tool_removal` refers to, as far as it is given.
#[derive(Clone, Copy, Debug)]
pub struct ChangedTool<'a> {
    /// The reference's type, such as `tool_reference`.
    pub kind: &'a str,
    /// The tool's name.
    pub name: &'a str,
    /// The MCP server's name.
    pub server: &'a str,
}

/// Returns what is wrong with a reference to a tool that a message adds or removes: the rule
/// (`tool-change-reference` or `tool-change-conflict`), the key of the reference, and the value.
///
/// A request that defines a tool in a message has it, too.
///
/// ```
/// use aside_rules::of::tool::{ChangedTool, unresolved};
///
/// let grep = ChangedTool { kind: "tool_reference", name: "Grep", server: "" };
/// assert!(unresolved(grep, |tool| tool == "Grep", |_| false).is_none());
/// let (rule, key, _) = unresolved(grep, |_| false, |_| false).unwrap();
/// assert_eq!((rule.id, key), ("tool-change-reference", "name"));
/// ```
pub fn unresolved(
    changed: ChangedTool<'_>,
    has_tool: impl Fn(&str) -> bool,
    has_server: impl Fn(&str) -> bool,
) -> Option<(&'static Rule, &'static str, String)> {
    let ChangedTool { kind, name, server } = changed;
    let (key, value, is_other_kind) = match kind {
        "tool_reference" if !has_tool(name) => ("name", name, has_server(name)),
        "mcp_tool_reference" | "mcp_toolset_reference" if !has_server(server) => {
            ("server_name", server, has_tool(server))
        }
        _ => return None,
    };
    Some(match is_other_kind {
        true if key == "name" => (&TOOL_CHANGE_CONFLICT, key, format!("{value:?}, an MCP server")),
        true => (&TOOL_CHANGE_CONFLICT, key, format!("{value:?}")),
        false => (&TOOL_CHANGE_REFERENCE, key, format!("{value:?}")),
    })
}

/// Repairs a tool's `input_schema` for a server, as [`schema::repair`] does. If you have no server
/// yet, use this to find tools that no server takes.
///
/// `kind` is the tool's `type`, `schema` its schema as JSON. An API tool has none.
///
/// # Errors
/// Returns the first fault that cannot be repaired, including a schema that is no object, and on
/// the Messages API a tool without a schema (rule `tool-schema`).
///
/// ```
/// use aside_rules::of::{schema::SchemaUse, tool::repair_schema};
///
/// let repaired = repair_schema(SchemaUse::MessagesTool, None, Some("{}"));
/// assert_eq!(repaired.unwrap().unwrap().schema, r#"{"type":"object"}"#);
/// let fault = repair_schema(SchemaUse::MessagesTool, None, Some("[]")).unwrap_err();
/// assert_eq!(fault.found, "[]");
/// ```
pub fn repair_schema(
    of: SchemaUse,
    kind: Option<&str>,
    schema: Option<&str>,
) -> Result<Option<Repaired>, SchemaFault> {
    if !is_custom(kind.unwrap_or_default()) {
        return Ok(None);
    }
    match schema {
        Some(schema) if schema.trim_start().starts_with('{') => schema::repair(of, schema),
        None if of != SchemaUse::MessagesTool => Ok(None),
        other => Err(SchemaFault {
            rule: &TOOL_SCHEMA,
            path: String::new(),
            found: other.map_or_else(|| "none".to_owned(), excerpt),
            expected: "a JSON Schema of the type object",
        }),
    }
}

/// Returns what is wrong with the `input_schema` of a tool in a request (rule `tool-schema`). An
/// API tool has none.
///
/// `kind` is the tool's `type`, empty if it has none.
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

fn is_object_schema(schema: Value<'_>) -> bool {
    schema.text_of("type").as_deref() == Some("object")
}
