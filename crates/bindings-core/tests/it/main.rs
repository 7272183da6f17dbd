//! Functions, called by name.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod api;
mod assertions;
mod functions;

use aside_bindings_core::{BindingError, call};

fn facts(name: &str, inputs: &[&str]) -> serde_json::Value {
    facts_with(name, inputs, "").unwrap()
}

fn facts_with(
    name: &str,
    inputs: &[&str],
    options: &str,
) -> Result<serde_json::Value, BindingError> {
    let inputs: Vec<&[u8]> = inputs.iter().map(|input| input.as_bytes()).collect();
    let output = call(name, &inputs, options.as_bytes())?;
    Ok(serde_json::from_slice(&output.json).unwrap())
}

/// Returns an assertion's message; empty when it holds.
fn message(name: &str, inputs: &[&str], options: &str) -> String {
    let facts = facts_with(name, inputs, options).unwrap();
    facts["message"].as_str().unwrap_or_default().to_owned()
}

/// A body with this system prompt, and further messages.
fn body(system: &str, more: &str) -> String {
    format!(
        r#"{{"model":"claude-opus-5-5","max_tokens":64,"system":[{{"type":"text","text":"{system}","cache_control":{{"type":"ephemeral"}}}}],"messages":[{{"role":"user","content":"Hi"}}{more}]}}"#
    )
}

/// What a second request adds.
const MORE: &str = r#",{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}"#;
