//! Two requests by an agent with one tool: the second one repeats the first one's messages byte for
//! byte, so that the prompt cache finds them.
//!
//! `cargo run -p aside-messages --example agent_loop`
#![expect(clippy::print_stdout, reason = "a program for a terminal")]

use std::error::Error;

use aside_messages::wire::Request;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let mut messages = vec![json!({"role": "user", "content": "What is in a.md?"})];
    let first = body(&messages)?;
    let call =
        json!({"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"path": "a.md"}});
    messages.push(json!({"role": "assistant", "content": [call]}));
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "Use tabs."});
    messages.push(json!({"role": "user", "content": [result]}));
    let second = body(&messages)?;

    let same = first.bytes().zip(second.bytes());
    let same = same.take_while(|(a, b)| a == b).count();
    println!("{first}\n{second}");
    println!("{same} of {} bytes are in the second request", first.len());
    Ok(())
}

/// Returns a request's bytes. Keys have the order of the wire, whatever `json!` does.
fn body(messages: &[serde_json::Value]) -> Result<String, Box<dyn Error>> {
    let request = Request::try_from(json!({
        "model": "claude-opus-5-5",
        "max_tokens": 1024,
        "tools": [{"name": "Read", "input_schema": {"type": "object"}}],
        "messages": messages,
    }))?;
    Ok(serde_json::to_string(&request)?)
}
