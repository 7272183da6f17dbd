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
use serde::Serialize;

use super::part::{Placed, write_parts};
use super::reasoning::Reasoning;
use super::tools::Function;
use crate::body_writer::Sink;
use crate::json::write_json;
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
    /// A function call.
    Call(Call<'a>),
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

/// A function call.
#[derive(Serialize)]
pub(super) struct Call<'a> {
    /// Always `function_call`.
    pub(super) r#type: &'static str,
    /// The id, in the form that the wire accepts.
    pub(super) call_id: String,
    /// The name, at most 64 characters.
    pub(super) name: String,
    /// The input as text, to keep key order, spacing and numbers.
    pub(super) arguments: &'a str,
}

/// The model's text. This is a string, because parts in an assistant message need an item id.
///
/// ```json
/// {"type": "message", "role": "assistant", "content": "Done.", "phase": "final_answer"}
/// ```
#[derive(Serialize)]
struct Assistant<'a> {
    r#type: &'static str,
    role: &'static str,
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'static str>,
}

/// An item to add tools in the middle of the input.
///
/// ```json
/// {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", …}]}
/// ```
#[derive(Serialize)]
struct Additional<'a> {
    r#type: &'static str,
    role: &'static str,
    tools: Vec<Function<'a>>,
}

/// An item to change the effort from its position on.
///
/// ```json
/// {"type": "configuration_update", "reasoning": {"effort": "high"}}
/// ```
#[derive(Serialize)]
struct Update<'a> {
    r#type: &'static str,
    reasoning: Effort<'a>,
}

#[derive(Serialize)]
struct Effort<'a> {
    effort: &'a str,
}

impl Item<'_> {
    /// Writes the item as JSON, without a separator. With `breakpoints`, this adds the positions
    /// for cache markers to the sink's slots.
    ///
    /// # Errors
    ///
    /// When an additional tool's name, once shortened, is another tool's.
    pub(super) fn write(&self, breakpoints: bool, sink: &mut Sink<'_>) -> Result<(), RefusedError> {
        let out = &mut *sink.out;
        match self {
            Self::Message { role, parts } => {
                out.extend_from_slice(b"{\"type\":\"message\",\"role\":");
                write_json(out, role);
                out.extend_from_slice(b",\"content\":");
                write_parts(out, parts, breakpoints, sink.slots);
                out.push(b'}');
            }
            Self::Assistant { text, phase } => {
                let message = Assistant {
                    r#type: "message",
                    role: "assistant",
                    content: text,
                    phase: *phase,
                };
                write_json(out, &message);
            }
            Self::Reasoning(item) => write_json(out, item),
            Self::Call(call) => write_json(out, call),
            Self::Output { call_id, output } => {
                out.extend_from_slice(b"{\"type\":\"function_call_output\",\"call_id\":");
                write_json(out, call_id);
                out.extend_from_slice(b",\"output\":");
                match output {
                    Output::Text(text) => write_json(out, text),
                    Output::Parts(parts) => write_parts(out, parts, breakpoints, sink.slots),
                }
                out.push(b'}');
            }
            Self::ConfigurationUpdate(effort) => {
                let update =
                    Update { r#type: "configuration_update", reasoning: Effort { effort } };
                write_json(out, &update);
            }
            Self::AdditionalTools(tools) => {
                let tools = tools.iter().map(|tool| Function::new(tool, sink.names));
                let additional = Additional {
                    r#type: "additional_tools",
                    role: "developer",
                    tools: tools.collect::<Result<_, _>>()?,
                };
                write_json(out, &additional);
            }
        }
        Ok(())
    }
}
