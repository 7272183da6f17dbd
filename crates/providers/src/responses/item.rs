//! The items of a request, and how each is written.

use std::borrow::Cow;
use std::sync::Arc;

use aside_messages::wire::Tool;
use serde::Serialize;

use super::part::{Placed, write_parts};
use super::reasoning::Reasoning;
use super::tools::Function;
use crate::conversion::Sink;
use crate::json::write_json;
use crate::refused::RefusedError;

/// One item.
pub(super) enum Item<'a> {
    Message {
        role: &'static str,
        parts: Vec<Placed<'a>>,
    },
    Assistant {
        text: Cow<'a, str>,
        phase: Option<&'static str>,
    },
    Reasoning(Reasoning),
    Call(Call<'a>),
    Output {
        call_id: String,
        output: Output<'a>,
    },
    ConfigurationUpdate(String),
    AdditionalTools(Vec<Arc<Tool>>),
}

/// The output of a tool.
pub(super) enum Output<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Placed<'a>>),
}

#[derive(Serialize)]
pub(super) struct Call<'a> {
    pub(super) r#type: &'static str,
    pub(super) call_id: String,
    pub(super) name: String,
    /// The input as text: key order, spacing and numbers survive.
    pub(super) arguments: &'a str,
}

/// The model's text. A string, since parts of an assistant's message need the
/// id of an item.
#[derive(Serialize)]
struct Assistant<'a> {
    r#type: &'static str,
    role: &'static str,
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'static str>,
}

#[derive(Serialize)]
struct Additional<'a> {
    r#type: &'static str,
    role: &'static str,
    tools: Vec<Function<'a>>,
}

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
                let update = Update {
                    r#type: "configuration_update",
                    reasoning: Effort { effort },
                };
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
