//! The same session, written with serde each turn.

use std::error::Error;
use std::hint::black_box;

use aside_messages::wire::{ContentBlock, Message, RawJson, Request, Role, ToolResult};

use super::FILES;
use super::server::{path, text};

/// Makes the request of each turn, and writes it with serde.
pub(crate) fn run(turns: usize) -> Result<(), Box<dyn Error>> {
    let mut request = Request {
        model: "claude-sonnet-5-5".into(),
        max_tokens: Some(8_192),
        stream: Some(true),
        system: vec![ContentBlock::text("You are an agent. ".repeat(600))],
        messages: vec![Message::new(Role::User, vec![ContentBlock::text("Go on.")])],
        ..Request::default()
    };
    for turn in 0..turns {
        black_box(serde_json::to_vec(&request)?);
        let id = format!("toolu_{turn:024}");
        let input = RawJson::parse(&format!(r#"{{"file_path":"{}"}}"#, path(turn % FILES)))?;
        let call = format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Read","input":{}}}]}}"#,
            input.get()
        );
        request.messages.push(Message::parse(call.as_bytes())?.value);
        let result = vec![ContentBlock::text(text(turn % FILES))];
        let result = ContentBlock::ToolResult(ToolResult::new(id, result));
        request.messages.push(Message::new(Role::User, vec![result]));
    }
    Ok(())
}
