//! Function tools, and the tool choice.

use aside_messages::wire::{RawJson, Tool, ToolChoice, ToolMode};
use serde::Serialize;

use crate::inner_form::takes_tool;
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
    Function(Function<Name>),
}

/// A function's name, in the form that the wire accepts.
#[derive(Serialize)]
pub(super) struct Name {
    name: String,
}

/// A tool that the caller runs, as an item in `tools` or by its name in the choice.
///
/// ```json
/// {"type": "function", "function": {"name": "Bash", "description": "…", "parameters": {…}}}
/// {"type": "function", "function": {"name": "Bash"}}
/// ```
#[derive(Serialize)]
pub(super) struct Function<T> {
    /// Always `function`.
    r#type: &'static str,
    /// Nested on this wire, and flat on Responses.
    function: T,
}

#[derive(Serialize)]
pub(super) struct Definition<'a> {
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
) -> Result<Option<Function<Definition<'a>>>, RefusedError> {
    if !takes_tool(index, tool, losses) {
        return Ok(None);
    }
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
        ToolMode::Only(name) => Choice::Function(Function {
            r#type: "function",
            function: Name { name: names.shorten(name, NAME)? },
        }),
    })
}
