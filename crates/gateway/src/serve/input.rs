//! Tool calls with inputs that the tool's schema accepts.
//!
//! An agent that validates a call's input would refuse `{}` for most tools, so
//! the server makes a small value of the right shape. The schema comes with the
//! request, so its depth and size are limited.

use std::cell::Cell;

use aside_json::{Kind, Tape, Value as Json};
use aside_providers::script::{CallPurpose, is_named};
use serde_json::{Map, Value, json};

/// Nested schemas deeper than this become null.
const MAX_DEPTH: usize = 16;

/// Values beyond this become null: a schema may refer to itself many times.
const MAX_VALUES: usize = 10_000;

/// Returns name and input to call a tool in a request: the one with this name,
/// else the first.
///
/// Tools without an `input_schema`, such as those that the provider runs, are
/// not called. Fails if the body is not JSON, or if no tool has the name.
///
/// ```text
/// {"required":["path"],"properties":{"path":{"type":"string"}}}  →  {"path":"text"}
/// ```
pub(crate) fn call(body: &[u8], name: Option<&str>) -> Result<(String, String), String> {
    let tape = Tape::parse(body).map_err(|it| it.in_text(body))?;
    let mut tools = tape.root().get("tools").into_iter().flat_map(Json::items);
    let found = tools.find_map(|tool| {
        let schema = tool.get("input_schema")?;
        let own = tool.text_of("name").unwrap_or_default();
        let is_named = name.is_none_or(|name| own == name);
        (is_named && schema.kind() == Kind::Object).then_some((own, schema))
    });
    let Some((name, schema)) = found else {
        let name = name.unwrap_or("any");
        return Err(format!("the request has no tool of the name {name:?}"));
    };
    let schema: Value = serde_json::from_str(schema.raw()).map_err(|it| it.to_string())?;
    let input = Examples::new(&schema).of(&schema, 0);
    Ok((name.into_owned(), input.to_string()))
}

/// Returns JSON that the schema of an `output_config` accepts, if it has one.
pub(crate) fn formatted(output_config: &str) -> Option<String> {
    let config: Value = serde_json::from_str(output_config).ok()?;
    let schema = config["format"].get("schema")?;
    Some(Examples::new(schema).of(schema, 0).to_string())
}

/// Returns the name that the request has for a tool, which may be of an MCP server; the same name
/// if it has no such tool.
pub(crate) fn named(body: &[u8], name: &str) -> String {
    let tape = Tape::parse(body).ok();
    let tools = tape.iter().filter_map(|it| it.root().get("tools"));
    let names = tools
        .flat_map(Json::items)
        .filter_map(|tool| tool.text_of("name"));
    let names: Vec<_> = names.collect();
    let exact = names.iter().find(|own| **own == name);
    let found = exact.or_else(|| names.iter().find(|own| is_named(own, name)));
    found.map_or_else(|| name.to_owned(), ToString::to_string)
}

/// Properties with a file's path, in known agents' tools.
const PATH_KEYS: [&str; 6] = [
    "file_path",
    "filePath",
    "absolute_path",
    "path",
    "filename",
    "file",
];

/// Properties with a shell command.
const COMMAND_KEYS: [&str; 2] = ["command", "cmd"];

/// Properties with a sub-agent's task.
const TASK_KEYS: [&str; 4] = ["prompt", "task", "message", "instructions"];

/// Words in the names of tools that start sub-agents.
const DELEGATES: [&str; 4] = ["agent", "task", "delegate", "dispatch"];

/// Returns name and input to make a call for a purpose: on the first tool that
/// fits best by its name and its properties. A shell reads a file with `cat`.
///
/// Fails if the body is not JSON, or if no tool fits.
pub(crate) fn call_for(body: &[u8], purpose: &CallPurpose) -> Result<(String, String), String> {
    let tape = Tape::parse(body).map_err(|it| it.in_text(body))?;
    let tools = tape.root().get("tools").into_iter().flat_map(Json::items);
    let tools = tools.filter_map(|tool| {
        let schema: Value = serde_json::from_str(tool.get("input_schema")?.raw()).ok()?;
        Some((tool.text_of("name")?.to_lowercase(), tool, schema))
    });
    let has = |schema: &Value, keys: &[&'static str]| {
        let found = keys
            .iter()
            .find(|key| schema["properties"][**key].is_object());
        found.copied()
    };
    let fitting = tools.filter_map(|(name, tool, schema)| {
        let names = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let (rank, key) = match purpose {
            CallPurpose::Read(_) => match has(&schema, &PATH_KEYS) {
                Some(key) if names(&["read", "view"]) => (0, key),
                _ => (1, has(&schema, &COMMAND_KEYS)?),
            },
            _ if names(&DELEGATES) => (0, has(&schema, &TASK_KEYS)?),
            _ => return None,
        };
        Some((rank, key, tool, schema))
    });
    let Some((_, key, tool, schema)) = fitting.min_by_key(|(rank, ..)| *rank) else {
        return Err(format!("no tool of the request is for {purpose:?}"));
    };
    let mut input = Examples::new(&schema).of(&schema, 0);
    input[key] = match purpose {
        CallPurpose::Read(path) if PATH_KEYS.contains(&key) => json!(path),
        CallPurpose::Read(path) => match schema["properties"][key]["type"].as_str() {
            Some("array") => json!(["cat", path]),
            _ => json!(format!("cat '{path}'")),
        },
        CallPurpose::Delegate(task) => json!(task),
        _ => return Err(format!("no tool is chosen for {purpose:?}")),
    };
    // What sub-agents there are is in the description, not in the schema.
    let kind = &schema["properties"]["subagent_type"];
    if kind.is_object() && kind["enum"].is_null() {
        let is_general = tool.raw().contains("general-purpose");
        input["subagent_type"] = json!(if is_general {
            "general-purpose"
        } else {
            "general"
        });
    }
    let name = tool.text_of("name").unwrap_or_default();
    Ok((name.into_owned(), input.to_string()))
}

/// Makes values that a schema accepts.
struct Examples<'a> {
    /// The tool's schema, to which `$ref` refers.
    root: &'a Value,
    /// How many values may still be made.
    left: Cell<usize>,
}

impl<'a> Examples<'a> {
    fn new(root: &'a Value) -> Self {
        let left = Cell::new(MAX_VALUES);
        Self { root, left }
    }

    /// Returns a minimal value that a schema accepts, by its common keywords.
    ///
    /// The first keyword present decides: `const`, `default`, `enum`,
    /// `examples`, `$ref`, `anyOf`, `oneOf`, `allOf`, `type`. Objects get only
    /// their required keys, arrays `minItems` items, at most 64.
    fn of(&self, schema: &Value, depth: usize) -> Value {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Value::Null;
        };
        self.left.set(left);
        if depth > MAX_DEPTH {
            return Value::Null;
        }
        let of = |schema: &Value| self.of(schema, depth + 1);
        for key in ["const", "default"] {
            if let Some(value) = schema.get(key) {
                return value.clone();
            }
        }
        for key in ["enum", "examples"] {
            if let Some(value) = schema[key].get(0) {
                return value.clone();
            }
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let target = reference
                .strip_prefix('#')
                .and_then(|it| self.root.pointer(it));
            return target.map_or(Value::Null, of);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(first) = schema[key].get(0) {
                return of(first);
            }
        }
        if let Some(all) = schema["allOf"].as_array() {
            let mut merged = Map::new();
            for value in all.iter().map(of) {
                merged.extend(value.as_object().cloned().unwrap_or_default());
            }
            return Value::Object(merged);
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds.first().and_then(Value::as_str),
            kind => kind.as_str(),
        };
        match kind {
            Some("string") => text(schema),
            Some("integer") => json!(number(schema).ceil() as i64),
            Some("number") => json!(number(schema)),
            Some("boolean") => json!(false),
            Some("array") => {
                let count = schema["minItems"].as_u64().unwrap_or(0).min(64);
                json!((0..count).map(|_| of(&schema["items"])).collect::<Vec<_>>())
            }
            Some("null") => Value::Null,
            _ => {
                let required = schema["required"].as_array().into_iter().flatten();
                let names = required.filter_map(Value::as_str);
                let values = names.map(|name| (name.to_owned(), of(&schema["properties"][name])));
                Value::Object(values.collect())
            }
        }
    }
}

/// Returns a text by `format`, `minLength` and `maxLength`. A `pattern` is not
/// considered.
fn text(schema: &Value) -> Value {
    let text = match schema["format"].as_str() {
        Some("date") => "2026-01-01",
        Some("date-time") => "2026-01-01T00:00:00Z",
        Some("email") => "a@example.com",
        Some("uri") => "https://example.com/",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ => "text",
    };
    let least = schema["minLength"].as_u64().unwrap_or(0).min(4_096) as usize;
    let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
    let mut text = format!("{text:x<least$}");
    text.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    json!(text)
}

/// Returns the least number by `minimum` or `exclusiveMinimum`, else 0, at most
/// `maximum`.
fn number(schema: &Value) -> f64 {
    let least = schema["minimum"].as_f64();
    let above = schema["exclusiveMinimum"].as_f64().map(|it| it + 1.0);
    let most = schema["maximum"].as_f64().unwrap_or(f64::MAX);
    least.or(above).unwrap_or(0.0).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &str, expected: &str) {
        let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
        assert_eq!(Examples::new(&schema).of(&schema, 0).to_string(), expected);
    }

    #[test]
    fn an_input_has_the_required_keys() {
        check(
            r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}"#,
            r#"{"a":"text"}"#,
        );
        check(
            r##"{"required":["n","l","e","r"],"properties":{"n":{"type":"number","minimum":2},"l":{"type":"array","minItems":2,"items":{"type":"boolean"}},"e":{"enum":["x","y"]},"r":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":["string","null"],"minLength":6}}}"##,
            r#"{"e":"x","l":[false,false],"n":2.0,"r":"textxx"}"#,
        );
        check(r#"{"anyOf":[{"const":3},{"type":"null"}]}"#, "3");
    }

    #[test]
    fn a_purpose_finds_the_tool_of_an_agent() {
        let call = |tools: &str, purpose: &CallPurpose| {
            let (name, input) = call_for(format!(r#"{{"tools":[{tools}]}}"#).as_bytes(), purpose)?;
            Ok::<_, String>(format!("{name} {input}"))
        };
        let tool = |name: &str, key: &str, kind: &str| {
            format!(
                r#"{{"name":"{name}","input_schema":{{"type":"object","properties":{{"{key}":{{"type":"{kind}"}}}}}}}}"#
            )
        };
        let shell = tool("shell", "command", "array");
        let read = CallPurpose::Read("/a.md".to_owned());
        let both = format!("{shell},{}", tool("Read", "filePath", "string"));
        assert_eq!(call(&both, &read).unwrap(), r#"Read {"filePath":"/a.md"}"#);
        assert_eq!(
            call(&shell, &read).unwrap(),
            r#"shell {"command":["cat","/a.md"]}"#
        );
        let task = CallPurpose::Delegate("Count.".to_owned());
        let agent = tool("Task", "prompt", "string");
        assert_eq!(call(&agent, &task).unwrap(), r#"Task {"prompt":"Count."}"#);
        assert!(
            call(&both, &task)
                .unwrap_err()
                .contains("no tool of the request")
        );
    }

    #[test]
    fn a_recursive_schema_ends() {
        let schema = r##"{"properties":{"a":{"$ref":"#"}},"required":["a"]}"##;
        let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
        assert!(Examples::new(&schema).of(&schema, 0).is_object());
    }
}
