//! The schema of a session's state says what its reader takes.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use aside_agent::SessionState;
use aside_scenario::generated_files;
use serde_json::{Value, json};

/// A state in which every key has a value, and every choice is made.
fn whole() -> Value {
    json!({
        "skills": [{"name": "s", "description": "d"}],
        "invoked_skills": [{"name": "s", "path": "/p", "content": "c"}],
        "fitting_skills": {"skills": [{"name": "s", "description": "d"}]},
        "agents": [{"agent_type": "a", "description": "d"}],
        "mcp_servers": [{
            "name": "m",
            "instructions": "i",
            "tools": [{"name": "t", "description": "d", "input_schema": {}, "defer_loading": true}],
            "resources": [{"uri": "u", "name": "n", "contents": [
                {"type": "text", "text": "t"},
                {"type": "blob", "media_type": "image/png", "bytes": 1},
            ]}],
        }],
        "hooks": [
            {"type": "stopped_continuation", "hook": "h", "message": "m"},
            {"type": "additional_context", "hook": "h", "texts": ["t"]},
            {"type": "async_response", "system_message": "m", "additional_context": "c"},
        ],
        "selection": {"path": "/p", "first_line": 1, "last_line": 2, "content": "c"},
        "opened_file": {"path": "/p"},
        "diagnostics": {"files": [{"path": "/p", "diagnostics": [
            finding("error"), finding("warning"), finding("info"), finding("hint"),
        ]}]},
        "background_tasks": [
            {"id": "1", "description": "d", "status": {"state": "stopped"}},
            {"id": "1", "description": "d",
             "status": {"state": "running", "task_type": "t", "progress": "p"}},
            {"id": "1", "description": "d", "status":
                {"state": "completed", "task_type": "t", "delta": "d", "output_file": "/p"}},
            {"id": "1", "description": "d", "status":
                {"state": "failed", "task_type": "t", "delta": "d", "output_file": "/p"}},
        ],
        "tasks": [{"id": "1", "subject": "s", "status": "pending"}],
        "todos": [{"content": "c", "status": "in_progress"}],
        "output_style": {"name": "n"},
        "plan": {"is_on": true, "file": "/p", "content": "c"},
        "auto_mode": true,
        "automatic_compaction": true,
        "context_window": 1,
        "relevant_memories": {"memories": [{"path": "/p", "content": "c", "age_days": 1}]},
        "team": {"team": "t", "members": [{"name": "n", "role": "r"}],
                 "tasks": [{"id": "1", "subject": "s", "status": "completed"}]},
        "critical_reminder": {"content": "c"},
        "token_usage": {"used": 1, "total": 2},
        "budget": {"used_cents": 1, "total_cents": 2},
    })
}

fn finding(severity: &str) -> Value {
    json!({
        "line": 1, "column": 1, "severity": severity, "message": "m", "source": "s", "code": "c",
    })
}

fn schema() -> Value {
    let files = generated_files();
    let file = files
        .iter()
        .find(|it| it.path.ends_with("state.schema.json"));
    serde_json::from_str(&file.unwrap().text).unwrap()
}

/// Why the value is not of the schema, if it is not.
fn fault(schema: &Value, value: &Value, at: &str) -> Option<String> {
    if let Some(choices) = schema.get("anyOf").or(schema.get("oneOf")) {
        let mut faults = choices.as_array()?.iter().map(|it| fault(it, value, at));
        return match faults.any(|fault| fault.is_none()) {
            true => None,
            false => Some(format!("{at}: no choice fits")),
        };
    }
    if let Some(constant) = schema.get("const") {
        return (constant != value).then(|| format!("{at}: not {constant}"));
    }
    if let Some(values) = schema.get("enum") {
        let is_one = values.as_array()?.contains(value);
        return (!is_one).then(|| format!("{at}: not one of {values}"));
    }
    match value {
        Value::Object(object) => {
            let properties = schema.get("properties");
            for (key, value) in object {
                let of_key = properties.and_then(|it| it.get(key));
                let Some(of_key) = of_key else {
                    // Where anything goes, no keys are named.
                    properties?;
                    return Some(format!("{at}.{key}: no such key"));
                };
                let fault = fault(of_key, value, &format!("{at}.{key}"));
                if fault.is_some() {
                    return fault;
                }
            }
            let required = schema.get("required").and_then(Value::as_array);
            let mut missing = required.into_iter().flatten();
            let missing = missing.find(|key| !object.contains_key(key.as_str().unwrap_or("")));
            missing.map(|key| format!("{at}: {key} is missing"))
        }
        Value::Array(items) => {
            let of_item = schema.get("items")?;
            items
                .iter()
                .find_map(|item| fault(of_item, item, &format!("{at}[]")))
        }
        _ => None,
    }
}

/// Every path to a key of an object, for each to be left out or misspelt.
fn paths(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let path = format!("{at}/{key}");
                paths(value, &path, out);
                out.push(path);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                paths(item, &format!("{at}/{index}"), out);
            }
        }
        _ => {}
    }
}

#[test]
fn the_whole_is_taken_by_both() {
    assert_eq!(fault(&schema(), &whole(), "state"), None);
    let state: SessionState = serde_json::from_str(&whole().to_string()).unwrap();
    let written: Value = serde_json::to_value(&state).unwrap_or_default();
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(&written), keys(&whole()));
    let named = schema()["properties"].clone();
    assert_eq!(keys(&named), keys(&whole()));
}

#[test]
fn what_one_refuses_the_other_does() {
    let mut all = Vec::new();
    paths(&whole(), "", &mut all);
    assert!(all.len() > 100);
    for path in all {
        let (parent, key) = path.rsplit_once('/').unwrap();
        for misspelt in [false, true] {
            let mut state = whole();
            let object = state.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            let value = object.remove(key).unwrap();
            if misspelt {
                object.insert(format!("{key}x"), value);
            }
            let by_schema = fault(&schema(), &state, "state");
            let by_reader = serde_json::from_str::<SessionState>(&state.to_string());
            assert_eq!(
                by_schema.is_some(),
                by_reader.is_err(),
                "{path} misspelt {misspelt}: {by_schema:?}, {by_reader:?}"
            );
        }
    }
}
