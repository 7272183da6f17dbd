//! Request items, and how to write each.
//!
//! ```json
//! {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "List it."}]}
//! {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA…"}
//! {"type": "function_call", "call_id": "call_1", "name": "Bash", "arguments": "{}"}
//! {"type": "function_call_output", "call_id": "call_1", "output": "README.md"}
//! {"type": "message", "role": "assistant", "content": "One file."}
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use aside_messages::wire::Tool;

use super::part::{Placed, write_parts};
use super::reasoning::{Compaction, Reasoning};
use super::tools::Function;
use crate::body_writer::Sink;
use crate::json::{JsonObject, write_json};
use crate::refused::RefusedError;

pub(super) enum Item<'a> {
    /// A message with parts, with the role `user` or `developer`.
    Message { role: &'static str, parts: Vec<Placed<'a>> },
    /// The model's text.
    Assistant {
        /// The text, not blank.
        text: Cow<'a, str>,
        /// `commentary` or `final_answer`, if the server gave one.
        phase: Option<&'static str>,
    },
    /// A reasoning item as the server gave it; the item that it belongs to follows.
    Reasoning(Reasoning),
    /// A summary of the conversation before it, as the server gave it.
    Compaction(Compaction),
    /// A function call.
    Call {
        /// The id, in the form that the wire accepts.
        call_id: String,
        /// The name, at most 64 characters.
        name: String,
        /// The input as text, to keep key order, spacing and numbers.
        arguments: &'a str,
    },
    /// A call's result.
    Output {
        /// Which call it answers.
        call_id: String,
        output: Output<'a>,
    },
    /// The effort to use from here on: `low`, `high` and so on.
    ConfigurationUpdate(String),
    /// Definitions to give to the model from here on, at least one.
    AdditionalTools(Vec<Arc<Tool>>),
}

/// A tool's output.
pub(super) enum Output<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// At least one part; the last may have a cache breakpoint.
    Parts(Vec<Placed<'a>>),
}

impl Item<'_> {
    /// Writes the item as JSON, without a separator. With `breakpoints`, this adds the positions
    /// for cache markers to the sink's slots.
    ///
    /// # Errors
    ///
    /// When an additional tool's name, once shortened, is another tool's.
    pub(super) fn write(&self, breakpoints: bool, sink: &mut Sink<'_>) -> Result<(), RefusedError> {
        match self {
            Self::Reasoning(item) => {
                write_json(sink.out, item);
                return Ok(());
            }
            Self::Compaction(item) => {
                write_json(sink.out, item);
                return Ok(());
            }
            _ => {}
        }
        let mut it = JsonObject::begin(sink.out);
        match self {
            // Objects of their own.
            Self::Reasoning(_) | Self::Compaction(_) => {}
            Self::Message { role, parts } => {
                let out = it.set("type", "message").set("role", *role).key("content");
                write_parts(out, parts, breakpoints, sink.slots);
            }
            Self::Assistant { text, phase } => {
                it.set("type", "message").set("role", "assistant").set("content", text);
                it.given("phase", *phase);
            }
            Self::Call { call_id, name, arguments } => {
                it.set("type", "function_call").set("call_id", call_id).set("name", name);
                it.set("arguments", *arguments);
            }
            Self::Output { call_id, output } => {
                let out = it.set("type", "function_call_output").set("call_id", call_id);
                match output {
                    Output::Text(text) => drop(out.set("output", text)),
                    Output::Parts(parts) => {
                        write_parts(out.key("output"), parts, breakpoints, sink.slots);
                    }
                }
            }
            Self::ConfigurationUpdate(effort) => {
                it.set("type", "configuration_update").object("reasoning", |it| {
                    it.set("effort", effort);
                });
            }
            Self::AdditionalTools(tools) => {
                let tools = tools.iter().map(|tool| Function::new(tool, sink.names));
                let tools: Vec<_> = tools.collect::<Result<_, _>>()?;
                it.set("type", "additional_tools").set("role", "developer").set("tools", &tools);
            }
        }
        it.end();
        Ok(())
    }
}
