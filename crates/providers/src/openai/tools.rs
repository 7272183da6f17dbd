//! Function tools, and the tool choice.

use aside_messages::wire::{RawJson, Tool, ToolChoice, ToolMode};
use serde::Serialize;

use crate::inner_form::{ServerTool, tool_keys_lost};
use crate::loss::ConversionLoss;
use crate::names::{NAME, Names};
use crate::refused::RefusedError;

/// What to write as `tool_choice`.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Choice {
    /// `"auto"`, `"none"` or `"required"`.
    Word(&'static str),
    /// The function that the model has to call.
    Function(NamedFunction),
}

/// `{"type":"function","function":{"name":…}}`
#[derive(Serialize)]
pub(super) struct NamedFunction {
    r#type: &'static str,
    function: Name,
}

/// A function's name, in the form that the wire accepts.
#[derive(Serialize)]
struct Name {
    name: String,
}

/// A tool that the caller runs, as an item in `tools`.
///
/// ```json
/// {"type": "function", "function": {"name": "Bash", "description": "…", "parameters": {…}}}
/// ```
#[derive(Serialize)]
pub(super) struct Function<'a> {
    /// Always `function`.
    r#type: &'static str,
    /// The definition, which is nested on this wire and flat on Responses.
    function: Definition<'a>,
}

#[derive(Serialize)]
struct Definition<'a> {
    /// The name, at most 64 characters.
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    /// The JSON Schema, byte for byte; without it the function has no parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'a RawJson>,
    /// True if the input has to match the schema; if not set, the server's default applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

/// Converts a tool to a function; `None` if Anthropic's servers run it.
///
/// If the model should see the tool only after a search, it is sent like any other, and this is
/// reported.
///
/// # Errors
///
/// When the shortened name is another tool's.
pub(super) fn function<'a>(
    index: usize,
    tool: &'a Tool,
    names: &mut Names,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Option<Function<'a>>, RefusedError> {
    if let Some(reason) = tool.left_out() {
        losses.push(reason.at(format_args!("tools[{index}]")));
        return Ok(None);
    }
    tool_keys_lost(index, tool, losses);
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

/// Converts a tool choice.
///
/// ```text
/// {"type":"auto"}              → "auto"
/// {"type":"any"}               → "required"
/// {"type":"none"}              → "none"
/// {"type":"tool","name":"Ls"}  → {"type":"function","function":{"name":"Ls"}}
/// ```
pub(super) fn tool_choice(choice: &ToolChoice, names: &mut Names) -> Result<Choice, RefusedError> {
    Ok(match choice.mode() {
        ToolMode::Auto => Choice::Word("auto"),
        ToolMode::Required => Choice::Word("required"),
        ToolMode::Forbidden => Choice::Word("none"),
        ToolMode::Only(name) => Choice::Function(NamedFunction {
            r#type: "function",
            function: Name { name: names.shorten(name, NAME)? },
        }),
    })
}
