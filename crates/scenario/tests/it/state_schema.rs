//! The schema for a session's state agrees with its reader.

use crate::keywords;
use crate::spoiled;

use std::collections::BTreeSet;

use aside_scenario::generated_files;
use aside_session::{SectionInputs, SessionState};
use aside_user_files::json;
use serde_json::{Value, json};

use keywords::is_valid;
use spoiled::{Spoiled, spoiled};

/// Returns a state in which every key has a value, with every choice.
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
        "sections": SectionInputs::example(),
    })
}

fn finding(severity: &str) -> Value {
    json!({
        "line": 1, "column": 1, "severity": severity, "message": "m", "source": "s", "code": "c",
    })
}

fn schema() -> Value {
    let files = generated_files();
    let file = files.iter().find(|it| it.path.ends_with("state.schema.json"));
    serde_json::from_str(&file.unwrap().text).unwrap()
}

fn is_read(value: &Value) -> bool {
    json::read::<SessionState>(&value.to_string()).is_ok()
}

#[test]
fn both_accept_the_whole_state() {
    assert!(is_valid(&schema(), &whole()));
    let state: SessionState = json::read(&whole().to_string()).unwrap();
    let written: Value = serde_json::to_value(&state).unwrap_or_default();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&written), keys(&whole()));
    let named = schema()["properties"].clone();
    assert_eq!(keys(&named), keys(&whole()));
}

#[test]
fn they_agree_on_every_key_and_every_fault() {
    let schema = schema();
    let mut seen = BTreeSet::new();
    for fault in spoiled(&whole()) {
        let Spoiled { what, pointer, value } = fault;
        let (valid, read) = (is_valid(&schema, &value), is_read(&value));
        assert_eq!(valid, read, "{what} at {pointer}: the schema, the reader");
        seen.insert((what, read));
    }
    assert!(seen.contains(&("a list", false)) && seen.len() > 8, "{seen:?}");
}
