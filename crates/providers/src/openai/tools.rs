//! Function tools, and the choice of one.

use aside_messages::wire::{RawJson, Tool, ToolChoice};
use serde::Serialize;

use crate::inner_form::{ServerTool, deferral_lost};
use crate::loss::{ConversionLoss, Reason};
use crate::names::{NAME, Names};
use crate::refused::RefusedError;

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Choice {
    Word(&'static str),
    Function(NamedFunction),
}

/// `{"type":"function","function":{"name":…}}`
#[derive(Serialize)]
pub(super) struct NamedFunction {
    r#type: &'static str,
    function: Name,
}

#[derive(Serialize)]
struct Name {
    name: String,
}

#[derive(Serialize)]
pub(super) struct Function<'a> {
    r#type: &'static str,
    function: Definition<'a>,
}

#[derive(Serialize)]
struct Definition<'a> {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'a RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

/// Returns the function of a tool; `None` for one of Anthropic's servers.
pub(super) fn function<'a>(
    index: usize,
    tool: &'a Tool,
    names: &mut Names,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Option<Function<'a>>, RefusedError> {
    if tool.is_of_the_server() {
        losses.push(Reason::ServerTool.at(format_args!("tools[{index}]")));
        return Ok(None);
    }
    deferral_lost(index, tool, losses);
    Ok(Some(Function {
        r#type: "function",
        function: Definition {
            name: names.shorten(&tool.name, NAME)?,
            description: tool.description.as_deref(),
            parameters: tool.input_schema.as_ref(),
            strict: tool.strict,
        },
    }))
}

/// Returns the choice of a tool.
pub(super) fn tool_choice(choice: &ToolChoice, names: &mut Names) -> Result<Choice, RefusedError> {
    Ok(match (choice.kind.as_str(), &choice.name) {
        ("any", _) => Choice::Word("required"),
        ("none", _) => Choice::Word("none"),
        ("tool", Some(name)) => Choice::Function(NamedFunction {
            r#type: "function",
            function: Name {
                name: names.shorten(name, NAME)?,
            },
        }),
        _ => Choice::Word("auto"),
    })
}
