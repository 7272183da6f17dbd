//! Tool calls with inputs that the tool's schema accepts.
//!
//! An agent that validates a call's input would refuse `{}` for most tools, so
//! the server makes a small value of the right shape.

use std::borrow::Cow;
use std::collections::HashSet;

use aside_json::{Kind, Tape, Value as Json};
use aside_providers::script::{CallPurpose, is_named};
use serde_json::{Value, json};

use super::example::example;

/// Returns name and input to call a tool in a request: the one with this name,
/// else the first that no message removes.
///
/// Tools without an `input_schema`, such as those that the provider runs, are
/// not called. Fails if the body is not JSON, or if no tool has the name.
///
/// ```text
/// {"required":["path"],"properties":{"path":{"type":"string"}}}  →  {"path":"text"}
/// ```
pub(crate) fn call(body: &[u8], name: Option<&str>) -> Result<(String, String), String> {
    let tape = Tape::parse(body).map_err(|it| it.in_text(body))?;
    let removed = if name.is_none() { removed(tape.root()) } else { HashSet::new() };
    let found = tape.root().items_of("tools").find_map(|tool| {
        let schema = tool.get("input_schema")?;
        let own = tool.text_of("name").unwrap_or_default();
        let is_named = name.map_or_else(|| !removed.contains(&own), |name| own == name);
        (is_named && schema.kind() == Kind::Object).then_some((own, schema))
    });
    let Some((name, schema)) = found else {
        let name = name.unwrap_or("any");
        return Err(format!("the request has no tool of the name {name:?}"));
    };
    let schema: Value = serde_json::from_str(schema.raw()).map_err(|it| it.to_string())?;
    let input = example(&schema);
    Ok((name.into_owned(), input.to_string()))
}

/// Returns the tool after the one that was called last, in turn: an agent in a loop of forced calls
/// reaches the tool that ends it.
pub(crate) fn next_tool(body: &[u8]) -> Option<String> {
    let tape = Tape::parse(body).ok()?;
    let root = tape.root();
    let removed = removed(root);
    let tools = root.items_of("tools").filter(|it| it.given("input_schema").is_some());
    let names = tools.filter_map(|it| it.text_of("name").filter(|it| !removed.contains(it)));
    let mut names: Vec<_> = names.collect();
    let blocks = root.items_of("messages").flat_map(|it| it.items_of("content"));
    let last = blocks.filter(|it| it.tag() == "tool_use").last();
    let last = last.and_then(|call| call.text_of("name"));
    let last = last.and_then(|last| names.iter().position(|it| *it == last));
    let next = last.map_or(0, |last| (last + 1) % names.len());
    (next < names.len()).then(|| names.swap_remove(next).into_owned())
}

/// Returns the names of the tools whose latest change in the messages removes them.
fn removed(root: Json<'_>) -> HashSet<Cow<'_, str>> {
    let mut removed = HashSet::new();
    for block in root.items_of("messages").flat_map(|it| it.items_of("content")) {
        let Some(name) = block.get("tool").and_then(|it| it.text_of("name")) else {
            continue;
        };
        let _ = match &*block.tag() {
            "tool_removal" => removed.insert(name),
            "tool_addition" => removed.remove(&name),
            _ => false,
        };
    }
    removed
}

/// Returns a value that the schema for the response accepts, if the request has one: in
/// `output_config.format`, or in the deprecated `output_format`.
pub(crate) fn formatted(body: &[u8]) -> Option<Value> {
    let tape = Tape::parse(body).ok()?;
    let config = tape.root().given("output_config");
    let format = config.and_then(|it| it.given("format"));
    let format = format.or_else(|| tape.root().given("output_format"))?;
    let schema: Value = serde_json::from_str(format.get("schema")?.raw()).ok()?;
    Some(example(&schema))
}

/// Returns the name that the request has for a tool, which may be of an MCP server; the same name
/// if it has no such tool.
pub(crate) fn named(body: &[u8], name: &str) -> String {
    let tape = Tape::parse(body).ok();
    let tools = tape.iter().flat_map(|it| it.root().items_of("tools"));
    let names: Vec<_> = tools.filter_map(|tool| tool.text_of("name")).collect();
    let exact = names.iter().find(|own| **own == name);
    let found = exact.or_else(|| names.iter().find(|own| is_named(own, name)));
    found.map_or_else(|| name.to_owned(), ToString::to_string)
}

/// Properties with a file's path or a list of files, in known agents' tools.
const PATH_KEYS: [&str; 8] =
    ["file_path", "filePath", "absolute_path", "path", "filename", "file", "files", "paths"];

/// Properties with a shell command or a list of commands.
const COMMAND_KEYS: [&str; 3] = ["command", "cmd", "commands"];

/// Those of these properties that have a list.
const LIST_KEYS: [&str; 3] = ["files", "paths", "commands"];

/// Properties with a sub-agent's task.
const TASK_KEYS: [&str; 4] = ["prompt", "task", "message", "instructions"];

/// Words in the names of tools that start sub-agents.
const DELEGATES: [&str; 4] = ["agent", "task", "delegate", "dispatch"];

/// Words in the names of tools that read a file.
const READERS: [&str; 2] = ["read", "view"];

/// Words in the names of tools that read only files of another kind than text.
const MEDIA: [&str; 3] = ["image", "media", "pdf"];

/// The ends of images' names.
const IMAGES: [&str; 5] = [".png", ".jpg", ".jpeg", ".gif", ".webp"];

/// Returns true if a tool reads the file at a path, by the words in its name, as in `read_file`,
/// `ReadFile` and `readfile`: `spread_sheet` is no reader, and `view_image` reads no text.
fn is_reader(name: &str, path: &str) -> bool {
    let words = words(name);
    let has = |starts: &[&str]| {
        let is_one = |word: &String| starts.iter().any(|start| word.starts_with(start));
        words.iter().any(is_one)
    };
    let path = path.to_lowercase();
    has(&READERS) && (!has(&MEDIA) || IMAGES.iter().any(|end| path.ends_with(end)))
}

/// Splits a name into words in lower case: `mcp__fs__readFile` into `mcp`, `fs`, `read` and `file`.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut before) = (Vec::<String>::new(), '_');
    for letter in name.chars() {
        let is_camel = before.is_lowercase() && letter.is_uppercase();
        let is_first = is_camel || !before.is_alphanumeric();
        before = letter;
        if !letter.is_alphanumeric() {
            continue;
        }
        match words.last_mut() {
            Some(word) if !is_first => word.extend(letter.to_lowercase()),
            _ => words.push(letter.to_lowercase().collect::<String>()),
        }
    }
    words
}

/// Returns name and input to make a call for a purpose: on the first tool that
/// fits best by its name and its properties. A shell reads a file with `cat`.
///
/// Fails if the body is not JSON, or if no tool fits.
pub(crate) fn call_for(body: &[u8], purpose: &CallPurpose) -> Result<(String, String), String> {
    let tape = Tape::parse(body).map_err(|it| it.in_text(body))?;
    let tools = tape.root().items_of("tools").filter_map(|tool| {
        let schema: Value = serde_json::from_str(tool.get("input_schema")?.raw()).ok()?;
        Some((tool.text_of("name")?, tool, schema))
    });
    let fitting = tools.filter_map(|(name, tool, schema)| {
        let is_delegate = || {
            let name = name.to_lowercase();
            DELEGATES.iter().any(|word| name.contains(word))
        };
        let (rank, (key, value)) = match purpose {
            CallPurpose::Read(path) if is_reader(&name, path) => {
                match property(&schema, &PATH_KEYS, path) {
                    Some(found) => (0, found),
                    None => (1, shell(&schema, path)?),
                }
            }
            CallPurpose::Read(path) => (1, shell(&schema, path)?),
            CallPurpose::Delegate(task) if is_delegate() => {
                (0, property(&schema, &TASK_KEYS, task)?)
            }
            _ => return None,
        };
        Some((rank, key, value, tool, schema))
    });
    let Some((_, key, value, tool, schema)) = fitting.min_by_key(|(rank, ..)| *rank) else {
        return Err(format!("no tool of the request is for {purpose:?}"));
    };
    let mut input = example(&schema);
    input[key] = value;
    // What sub-agents there are is in the description, not in the schema.
    let kind = &schema["properties"]["subagent_type"];
    if kind.is_object() && kind["enum"].is_null() {
        let is_general = tool.raw().contains("general-purpose");
        input["subagent_type"] = json!(if is_general { "general-purpose" } else { "general" });
    }
    let name = tool.text_of("name").unwrap_or_default();
    Ok((name.into_owned(), input.to_string()))
}

/// Returns the property with one of these keys, and what a call has there: the text, or a list with
/// the text or with an object that has it.
///
/// ```text
/// {"files":{"type":"array","items":{"properties":{"path":{"type":"string"}}}}}  →  [{"path":"text"}]
/// ```
fn property(schema: &Value, keys: &[&'static str], text: &str) -> Option<(&'static str, Value)> {
    keys.iter().find_map(|key| {
        let own = schema["properties"].get(*key).filter(|it| it.is_object())?;
        let items = &own["items"];
        if own["type"] != "array" && items.is_null() {
            // A list may be behind `anyOf`.
            let is_text = !LIST_KEYS.contains(key) || own["type"] == "string";
            return is_text.then(|| (*key, json!(text)));
        }
        let item = match example(items) {
            _ if items.as_object().is_none_or(serde_json::Map::is_empty) => json!(text),
            Value::String(_) => json!(text),
            Value::Object(mut item) => {
                let (inner, value) = property(items, keys, text)?;
                item.insert(inner.to_owned(), value);
                Value::Object(item)
            }
            _ => return None,
        };
        Some((*key, json!([item])))
    })
}

/// Returns the property with a shell's command, and the command that prints a file. A list under
/// `command` has the words of one command.
fn shell(schema: &Value, path: &str) -> Option<(&'static str, Value)> {
    let (key, command) = property(schema, &COMMAND_KEYS, &format!("cat '{path}'"))?;
    let is_words = key != "commands" && command.is_array();
    Some((key, if is_words { json!(["cat", path]) } else { command }))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(call(&shell, &read).unwrap(), r#"shell {"command":["cat","/a.md"]}"#);
        // Cline's tools.
        let list = |name: &str, key: &str, items: &str| {
            format!(
                r#"{{"name":"{name}","input_schema":{{"type":"object","properties":{{"{key}":{{"type":"array","items":{items}}}}}}}}}"#
            )
        };
        let text = r#"{"type":"string"}"#;
        let line = r#"{"type":"integer"}"#;
        let entry = |key: &str| {
            format!(
                r#"{{"type":"object","properties":{{"{key}":{text},"line":{line}}},"required":["{key}","line"]}}"#
            )
        };
        let commands = list("run_commands", "commands", text);
        let files = list("read_files", "files", &entry("path"));
        for (tool, expected) in [
            (&files, r#"read_files {"files":[{"line":0,"path":"/a.md"}]}"#),
            (&list("read_files", "paths", text), r#"read_files {"paths":["/a.md"]}"#),
            (&commands, r#"run_commands {"commands":["cat '/a.md'"]}"#),
            (&list("shell", "command", text), r#"shell {"command":["cat","/a.md"]}"#),
        ] {
            assert_eq!(call(tool, &read).unwrap(), expected);
        }
        let both_lists = format!("{commands},{files}");
        assert!(call(&both_lists, &read).unwrap().starts_with("read_files"));
        // A text or an object, a reference, and a list in `anyOf`.
        let either = r#"{"type":["string","object"],"properties":{"path":{"type":"string"}}}"#;
        let mixed = call(&list("read_files", "files", either), &read).unwrap();
        assert_eq!(mixed, r#"read_files {"files":["/a.md"]}"#);
        let referred = list("read_files", "files", r##"{"$ref":"#/$defs/File"}"##);
        let optional = referred.replace(r#""type":"array","items""#, r#""anyOf""#);
        for list in [referred, optional] {
            let both = format!("{list},{shell}");
            assert_eq!(call(&both, &read).unwrap(), r#"shell {"command":["cat","/a.md"]}"#);
        }
        // Objects without a path are no files.
        let other = list("read_files", "files", &entry("id"));
        assert!(call(&other, &read).unwrap_err().contains("no tool of the request"));
        let image = CallPurpose::Read("/a.png".to_owned());
        let codex = [tool("view_image", "path", "string"), tool("exec", "cmd", "string")].join(",");
        assert_eq!(call(&codex, &read).unwrap(), r#"exec {"cmd":"cat '/a.md'"}"#);
        assert_eq!(call(&codex, &image).unwrap(), r#"view_image {"path":"/a.png"}"#);
        for (name, is_reader) in [
            ("read_file", true),
            ("mcp__fs__readTextFile", true),
            ("ViewFile", true),
            ("readfile", true),
            ("spread_sheet", false),
            ("Thread", false),
            ("readImage", false),
        ] {
            let tools = format!("{},{shell}", tool(name, "path", "string"));
            let called = call(&tools, &read).unwrap();
            assert_eq!(called.starts_with(name), is_reader, "{called}");
        }
        let task = CallPurpose::Delegate("Count.".to_owned());
        let agent = tool("Task", "prompt", "string");
        assert_eq!(call(&agent, &task).unwrap(), r#"Task {"prompt":"Count."}"#);
        assert!(call(&both, &task).unwrap_err().contains("no tool of the request"));
    }
}
