//! A long session's request: about 3 KB a turn.

use serde_json::json;

/// Returns the body for a session with this many turns, each with a tool call.
pub(crate) fn body(turns: usize) -> Vec<u8> {
    let mut messages = Vec::new();
    for turn in 0..turns {
        let path = format!("src/module_{}/file_{turn}.rs", turn % 40);
        messages.push(json!({"role": "user", "content": [{"type": "text", "text": format!("Turn {turn}: what is in {path}?")}]}));
        messages.push(json!({"role": "assistant", "content": [
            {"type": "text", "text": format!("I read {path}.")},
            {"type": "tool_use", "id": format!("toolu_{turn}"), "name": "Read", "input": {"file_path": path}}]}));
        let text: String = (0..58)
            .map(|line| {
                format!("{line:>5}→    let value_{line} = compute({turn}, {});\n", line * 7)
            })
            .collect();
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": format!("toolu_{turn}"), "content": [{"type": "text", "text": text}]}]}));
        messages.push(json!({"role": "assistant", "content": [{"type": "text", "text": "It computes values.".repeat(4)}]}));
    }
    messages.push(json!({"role": "user", "content": [{"type": "text", "text": "Go on", "cache_control": {"type": "ephemeral"}}]}));
    let tools: Vec<_> = (0..30)
        .map(|index| json!({"name": format!("tool_{index}"), "description": "Does something useful. ".repeat(30), "input_schema": {"type": "object"}}))
        .collect();
    json!({"model": "claude-opus-5-5", "max_tokens": 32000, "tools": tools,
        "system": [{"type": "text", "text": "You are a coding agent. ".repeat(400)}], "messages": messages})
    .to_string()
    .into_bytes()
}
