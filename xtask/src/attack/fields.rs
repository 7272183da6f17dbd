//! The fields that text from outside may reach, as arguments of `render`.

use std::ffi::OsString;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::command::{Place, Ran};
use super::plants::Plants;
use super::schema::{instances, strings};

/// Fields that are planted together.
pub(super) struct Family {
    pub(super) name: &'static str,
    /// Plants the fields, and returns the arguments that make a request of
    /// them.
    pub(super) plant: fn(&Place, &mut Plants<'_>) -> Result<Vec<OsString>>,
}

pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "files",
        plant: files,
    },
    Family {
        name: "names",
        plant: names,
    },
    Family {
        name: "settings",
        plant: settings,
    },
    Family {
        name: "agent",
        plant: agent,
    },
    Family {
        name: "state",
        plant: state,
    },
    Family {
        name: "late_state",
        plant: late_state,
    },
    Family {
        name: "conversation",
        plant: conversation,
    },
    Family {
        name: "messages",
        plant: messages,
    },
    Family {
        name: "tools",
        plant: tools,
    },
    Family {
        name: "session",
        plant: session,
    },
];

fn arguments<const N: usize>(list: [&str; N]) -> Vec<OsString> {
    list.map(OsString::from).to_vec()
}

/// The contents of files of a repository, and its commits.
fn files(place: &Place, plants: &mut Plants<'_>) -> Result<Vec<OsString>> {
    place.init()?;
    for (name, field) in [
        ("project/AGENTS.md", "agents"),
        ("project/.claude/CLAUDE.md", "dot_claude"),
        ("project/CLAUDE.local.md", "local"),
        ("project/.claude/rules/a.md", "rule"),
        ("project/docs/import.md", "import"),
        ("project/sub/CLAUDE.md", "nested"),
        ("project/sub/text.txt", "mention"),
        ("home/.claude/CLAUDE.md", "user"),
    ] {
        place.write(name, plants.text(field))?;
    }
    let import = format!("@docs/import.md\n{}", plants.text("claude_md"));
    place.write("project/CLAUDE.md", import)?;
    let header = "---\npaths: 'sub/**'\n---\n";
    place.write(
        "project/.claude/rules/b.md",
        format!("{header}{}", plants.text("path_rule")),
    )?;
    let reminder = "---\nschedule: {kind: turn, turn_interval: 1}\n---\n";
    let reminder = format!("{reminder}{}", plants.text("reminder"));
    place.write("project/.aside/reminders/a.md", reminder)?;
    place.git(["add", "-A"])?;
    // Git refuses NUL bytes on a command line.
    let subject = plants.text("commit").replace('\0', "").replace('\n', " ");
    place.git(["commit", "-q", "-m", &subject])?;
    let user = plants.text("git_user").replace('\0', "");
    place.git(["config", "user.name", &user])?;
    let prompt = plants.text("prompt").replace('\0', "");
    Ok(vec![format!("see @sub/text.txt {prompt}").into()])
}

/// Names of files, directories and branches.
fn names(place: &Place, plants: &mut Plants<'_>) -> Result<Vec<OsString>> {
    place.init()?;
    for name in plants.names("changed_file") {
        place.write(format!("project/{name}"), "")?;
    }
    for name in plants.names("rule_file") {
        place.write(format!("project/.claude/rules/{name}.md"), "Use tabs.")?;
    }
    for name in plants.names("reminder_file") {
        let reminder = "---\nschedule: {kind: turn, turn_interval: 1}\n---\nBe brief.";
        place.write(format!("project/.aside/reminders/{name}.md"), reminder)?;
    }
    for name in plants.names("branch") {
        // Most forms are refused.
        place.git(["checkout", "-q", "-b", &name])?;
    }
    let mut all = arguments(["see @dir/"]);
    let mut cwd = "project".to_owned();
    if let Some(name) = plants.names("directory").first() {
        cwd = format!("project/{name}");
        place.write(format!("{cwd}/CLAUDE.md"), "Use tabs.")?;
        all.extend(["--cwd".into(), place.path(&cwd).into_os_string()]);
    }
    for name in plants.names("listed_file") {
        place.write(format!("{cwd}/dir/{name}"), "")?;
    }
    for name in plants.names("added_directory") {
        let added = format!("outside/{name}");
        place.write(format!("{added}/CLAUDE.md"), "Use tabs.")?;
        all.extend(["--add-dir".into(), place.path(added).into_os_string()]);
    }
    Ok(all)
}

/// Settings of a repository, and its output styles.
fn settings(place: &Place, plants: &mut Plants<'_>) -> Result<Vec<OsString>> {
    let settings = json!({
        "language": plants.text("language"),
        "claudeMd": plants.text("claude_md"),
        "outputStyle": "style",
    });
    place.write("project/.claude/settings.json", settings.to_string())?;
    let style = format!("---\nname: style\n---\n{}", plants.text("output_style"));
    place.write("project/.claude/output-styles/style.md", style)?;
    Ok(arguments(["go"]))
}

/// An agent's file, which may come with a repository.
fn agent(place: &Place, plants: &mut Plants<'_>) -> Result<Vec<OsString>> {
    let name = plants.text("name");
    let escaped = name
        .chars()
        .map(|c| format!("\\U{:08x}", u32::from(c)))
        .collect::<String>();
    let text = format!("---\nname: \"{escaped}\"\n---\n{}", plants.text("prompt"));
    let file = place.write("project/agent.md", text)?;
    Ok(vec!["go".into(), "--agent".into(), file.into_os_string()])
}

/// More turns than pass before the lists of a session are shown again.
const TURNS_BEFORE_LISTS: usize = 12;

fn schema(path: &str) -> Result<Value> {
    let path = crate::root().join(path);
    let text =
        fs::read_to_string(&path).with_context(|| format!("failed to read {}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// Puts the forms into each string of an instance that takes any text. Returns
/// `None` if the instance itself is refused.
fn spoil(
    instance: &Value,
    family: &str,
    plants: &mut Plants<'_>,
    mut tries: impl FnMut(&Value) -> Result<bool>,
) -> Result<Option<Value>> {
    if !plants.accepts(family, instance, &mut tries)? {
        return Ok(None);
    }
    let mut spoiled = instance.clone();
    for at in strings(instance) {
        let key = format!("{family}{at}");
        let text = plants.text(&key);
        let mut alone = instance.clone();
        if let Some(place) = alone.pointer_mut(&at) {
            *place = text.clone().into();
        }
        if !plants.accepts(&key, &alone, &mut tries)? {
            plants.forget(&key);
        } else if let Some(place) = spoiled.pointer_mut(&at) {
            *place = text.into();
        }
    }
    Ok(Some(spoiled))
}

/// Every string of the state of a session, by its JSON Schema.
fn state(place: &Place, plants: &mut Plants<'_>) -> Result<Vec<OsString>> {
    let schema = schema("crates/agent/state.schema.json")?;
    let mut all = json!({});
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let mut variants = Vec::new();
        for (number, instance) in instances(property).iter().enumerate() {
            let family = format!("{key}{number}");
            let tries = |value: &Value| {
                let file = place.write("state.json", json!({key: value}).to_string())?;
                let ran = place.run(["render".as_ref(), "--state".as_ref(), file.as_os_str()])?;
                // What is left out of the request is reported.
                Ok(ran.code == Some(0) && ran.stderr.is_empty())
            };
            variants.extend(spoil(instance, &family, plants, tries)?);
        }
        // Variants of a list are items of one list.
        let is_list = variants.iter().all(Value::is_array);
        all[key] = if is_list {
            variants
                .into_iter()
                .flat_map(|it| it.as_array().cloned().unwrap_or_default())
                .collect()
        } else {
            variants.into_iter().next().unwrap_or(Value::Null)
        };
        if all[key].is_null() {
            all.as_object_mut().map(|it| it.remove(key));
        }
    }
    let file = place.write("state.json", all.to_string())?;
    Ok(vec!["go".into(), "--state".into(), file.into_os_string()])
}

/// The same state in a session that was compacted, and whose model has the
/// tools for lists but has not used them since: more of it is announced.
fn late_state(place: &Place, plants: &mut Plants<'_>) -> Result<Vec<OsString>> {
    let mut all = state(place, plants)?;
    let message = |role: &str, text: &str| {
        let part = json!({"type": "text", "text": text});
        json!({"kind": "message", "role": role, "parts": [part]}).to_string()
    };
    let turn = [message("user", "go"), message("assistant", "Done.")];
    let compact = json!({"kind": "compact", "summary": "The work is done."}).to_string();
    let mut lines = turn.to_vec();
    lines.push(compact);
    lines.extend(turn.iter().cycle().take(2 * TURNS_BEFORE_LISTS).cloned());
    let entries = place.write("entries.jsonl", lines.join("\n"))?;
    let tools = ["TodoWrite", "TaskCreate", "TaskUpdate"].map(|name| {
        json!({"name": name, "description": "Keeps a list.", "input_schema": {"type": "object"}})
    });
    let tools = place.write("tools.json", json!(tools).to_string())?;
    all.extend(["--conversation".into(), entries.into_os_string()]);
    all.extend(["--tools".into(), tools.into_os_string()]);
    Ok(all)
}

/// The kinds of content blocks that a conversation may hold.
fn block_schemas() -> Result<Vec<Value>> {
    let schema = schema("crates/messages/entry.schema.json")?;
    let blocks = &schema["properties"]["parts"]["items"]["anyOf"];
    let kinds = blocks.as_array().into_iter().flatten();
    Ok(kinds.cloned().collect())
}

/// Returns instances of a kind of block, without cache markers: a request takes
/// four of them, and no text in them.
fn block_instances(schema: &Value) -> Vec<Value> {
    let mut all = instances(schema);
    for members in all.iter_mut().filter_map(Value::as_object_mut) {
        members.remove("cache_control");
    }
    all
}

/// Every string of every kind of block in an entry of the user.
fn conversation(place: &Place, plants: &mut Plants<'_>) -> Result<Vec<OsString>> {
    let mut lines = Vec::new();
    let entry = |part: &Value| json!({"kind": "message", "role": "user", "parts": [part]});
    for (kind, schema) in block_schemas()?.iter().enumerate() {
        for (number, instance) in block_instances(schema).iter().enumerate() {
            let family = format!("{kind}.{number}");
            let tries = |value: &Value| {
                let file = place.write("entries.jsonl", entry(value).to_string())?;
                let ran = place.run([
                    "render".as_ref(),
                    "--conversation".as_ref(),
                    file.as_os_str(),
                ])?;
                Ok(ran.code == Some(0))
            };
            let spoiled = spoil(instance, &family, plants, tries)?;
            lines.extend(spoiled.map(|it| entry(&it).to_string()));
        }
    }
    let file = place.write("entries.jsonl", lines.join("\n"))?;
    Ok(vec![
        "go".into(),
        "--conversation".into(),
        file.into_os_string(),
    ])
}

/// Every string of every kind of block in a message of the user, and the input
/// of a tool that the model called.
fn messages(place: &Place, plants: &mut Plants<'_>) -> Result<Vec<OsString>> {
    let wrapped = |block: &Value| {
        let id = if block["type"] == "tool_result" {
            &block["tool_use_id"]
        } else {
            &json!("call")
        };
        let call = json!({"type": "tool_use", "id": id, "name": "look", "input": {}});
        json!([
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [block]},
        ])
    };
    let mut all = Vec::new();
    for (kind, schema) in block_schemas()?.iter().enumerate() {
        for (number, instance) in block_instances(schema).iter().enumerate() {
            let family = format!("{kind}.{number}");
            let tries = |value: &Value| {
                let file = place.write("messages.json", wrapped(value).to_string())?;
                let ran =
                    place.run(["render".as_ref(), "--messages".as_ref(), file.as_os_str()])?;
                Ok(ran.code == Some(0))
            };
            if let Some(spoiled) = spoil(instance, &family, plants, tries)? {
                all.extend(wrapped(&spoiled).as_array().cloned().unwrap_or_default());
            }
        }
    }
    let plain = plants.text("string");
    all.push(json!({"role": "user", "content": plain}));
    let file = place.write("messages.json", Value::Array(all).to_string())?;
    Ok(vec![
        "go".into(),
        "--messages".into(),
        file.into_os_string(),
    ])
}

/// Plants forms in the descriptions of the tools of an MCP server.
fn tools(place: &Place, plants: &mut Plants<'_>) -> Result<Vec<OsString>> {
    let tools = json!([{
        "name": "mcp__server__look",
        "description": plants.text("description"),
        "input_schema": {
            "type": "object",
            "title": plants.text("title"),
            "properties": {plants.text("property"): {
                "type": "string",
                "description": plants.text("property_description"),
                "enum": [plants.text("enum")],
                "examples": [plants.text("example")],
            }},
        },
    }]);
    let file = place.write("tools.json", tools.to_string())?;
    Ok(vec!["go".into(), "--tools".into(), file.into_os_string()])
}

/// Plants forms in the files that the tools of a stored session read.
fn session(place: &Place, plants: &mut Plants<'_>) -> Result<Vec<OsString>> {
    place.write("project/text.txt", plants.text("read"))?;
    place.write("project/book.ipynb", json!({"cells": [
        {"cell_type": "markdown", "source": [plants.text("cell")]},
        {"cell_type": "code", "source": "x", "outputs": [
            {"output_type": "stream", "name": "stdout", "text": [plants.text("output")]},
            {"output_type": "error", "ename": plants.text("ename"), "evalue": plants.text("evalue"), "traceback": [plants.text("traceback")]},
        ]},
    ]}).to_string())?;
    for name in plants.names("found") {
        place.write(format!("project/dir/{name}"), "needle")?;
    }
    let missing = plants.text("missing");
    let unknown = plants.text("unknown_tool");
    let calls = [
        ("Read", json!({"file_path": "text.txt"})),
        ("Read", json!({"file_path": "book.ipynb"})),
        ("Read", json!({"file_path": missing})),
        ("Glob", json!({"pattern": "**/*"})),
        ("Grep", json!({"pattern": "needle"})),
        (
            "Grep",
            json!({"pattern": "needle", "output_mode": "content"}),
        ),
        ("Grep", json!({"pattern": missing})),
        (
            "TodoWrite",
            json!({"todos": [{"content": plants.text("todo"), "activeForm": plants.text("active"), "status": "pending"}]}),
        ),
        (&unknown, json!({})),
    ];
    let content: Vec<Value> = (0..).zip(&calls).map(|(number, (name, input))| {
        json!({"type": "tool_use", "id": format!("call_{number}"), "name": name, "input": input})
    }).collect();
    let cassette = json!({"version": 1, "answers": [
        {"content": content, "stop_reason": "tool_use"},
        {"content": "Done."},
    ]});
    let cassette = place.write("cassette.json", cassette.to_string())?;
    let arguments = [
        "run".as_ref(),
        "go".as_ref(),
        "--date".as_ref(),
        "2026-01-31".as_ref(),
        "--replay".as_ref(),
        cassette.as_os_str(),
    ];
    let command: Command = place.command(arguments);
    let ran = Ran::of(command)?;
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    let id = stderr
        .lines()
        .find_map(|line| line.strip_prefix("aside: session: "))
        .with_context(|| format!("no session: {stderr}"))?;
    Ok(vec!["more".into(), "--resume".into(), id.into()])
}

/// The number of joins in [`joined`].
pub(super) const JOINS: usize = 6;

/// Returns messages with the pieces of each cut wherever a wire joins texts.
/// The marks around a cut are in its first and last piece.
pub(super) fn joined(cuts: &[Vec<&str>]) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for (cut, pieces) in cuts.iter().enumerate() {
        let texts = |join: usize| -> Vec<Value> {
            let last = pieces.len() - 1;
            let texts = pieces.iter().enumerate().map(|(at, piece)| {
                let start = if at == 0 {
                    format!("Q{join}.{cut}[")
                } else {
                    String::new()
                };
                let end = if at == last { "]Q" } else { "" };
                format!("{start}{piece}{end}")
            });
            texts
                .map(|text| json!({"type": "text", "text": text}))
                .collect()
        };
        let document = |source: Value| json!({"type": "document", "source": source});
        let plain = |text: &Value| {
            document(json!({"type": "text", "media_type": "text/plain", "data": text["text"]}))
        };
        let documents: Vec<Value> = texts(2).iter().map(plain).collect();
        // A text and a document in turn.
        let mixed: Vec<Value> = texts(5)
            .iter()
            .enumerate()
            .map(|(at, text)| match at % 2 {
                0 => text.clone(),
                _ => plain(text),
            })
            .collect();
        let calls = [0, 1, 2, 3].map(|at| json!({"type": "tool_use", "id": format!("c{cut}_{at}"), "name": "t", "input": {}}));
        let result = |at: usize, is_error: bool, content: Vec<Value>| {
            json!({
                "type": "tool_result", "tool_use_id": format!("c{cut}_{at}"), "is_error": is_error, "content": content,
            })
        };
        messages.push(json!({"role": "assistant", "content": calls}));
        let mut content = vec![
            result(0, false, texts(0)),
            result(1, true, texts(1)),
            result(2, false, documents),
            result(3, false, mixed),
        ];
        content.extend(texts(3));
        content.push(document(json!({"type": "content", "content": texts(4)})));
        messages.push(json!({"role": "user", "content": content}));
    }
    Value::Array(messages)
}
