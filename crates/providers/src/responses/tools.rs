//! Function tools, which are flat on this wire, and the choice of one.

use aside_messages::wire::{RawJson, Tool, ToolChoice};
use serde::Serialize;

use crate::inner_form::{ServerTool, deferral_lost};
use crate::loss::{ConversionLoss, Reason};
use crate::names::{NAME, Names};
use crate::refused::Refused;

/// A tool that the caller runs.
#[derive(Serialize)]
pub(super) struct Function<'a> {
    r#type: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    parameters: Parameters<'a>,
    /// Always explicit: without it the server rewrites the schema.
    strict: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Parameters<'a> {
    Schema(&'a RawJson),
    None(NoParameters),
}

/// `{"type":"object","properties":{}}`
#[derive(Serialize)]
struct NoParameters {
    r#type: &'static str,
    properties: Empty,
}

#[derive(Serialize)]
struct Empty {}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Choice {
    Word(&'static str),
    Function { r#type: &'static str, name: String },
}

/// Writes the tools. Those of Anthropic's servers are left out.
pub(super) fn functions<'a>(
    tools: &'a [Tool],
    names: &mut Names,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Vec<Function<'a>>, Refused> {
    let mut functions = Vec::with_capacity(tools.len());
    for (index, tool) in tools.iter().enumerate() {
        if tool.is_of_the_server() {
            losses.push(Reason::ServerTool.at(format_args!("tools[{index}]")));
            continue;
        }
        deferral_lost(index, tool, losses);
        functions.push(Function {
            r#type: "function",
            name: names.shorten(&tool.name, NAME)?,
            description: tool.description.as_deref(),
            parameters: match &tool.input_schema {
                Some(schema) => Parameters::Schema(schema),
                None => Parameters::None(NoParameters {
                    r#type: "object",
                    properties: Empty {},
                }),
            },
            strict: tool.strict.unwrap_or(false),
        });
    }
    Ok(functions)
}

/// Writes the choice of a tool.
pub(super) fn choice(choice: &ToolChoice, names: &mut Names) -> Result<Choice, Refused> {
    Ok(match (choice.kind.as_str(), &choice.name) {
        ("any", _) => Choice::Word("required"),
        ("none", _) => Choice::Word("none"),
        ("tool", Some(name)) => Choice::Function {
            r#type: "function",
            name: names.shorten(name, NAME)?,
        },
        _ => Choice::Word("auto"),
    })
}
