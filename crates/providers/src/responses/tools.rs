//! Function tools, which are flat on this wire, and the tool choice.

use std::borrow::Cow;

use aside_messages::wire::{RawJson, Tool, ToolChoice, ToolMode};
use serde::Serialize;

use super::tool_changes::Offer;
use crate::inner_form::takes_tool;
use crate::loss::ConversionLoss;
use crate::names::{NAME, Names};
use crate::refused::RefusedError;
use crate::tool_schemas::no_parameters;

/// A tool that the caller runs.
///
/// ```json
/// {"type": "function", "name": "Bash", "description": "…", "parameters": {…}, "strict": false}
/// ```
#[derive(Serialize)]
pub(super) struct Function<'a> {
    /// Always `function`.
    r#type: &'static str,
    /// The name, at most 64 characters.
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    /// The JSON Schema; the wire requires one.
    parameters: Cow<'a, RawJson>,
    /// Always explicit: without it the server rewrites the schema.
    strict: bool,
}

/// What to write as `tool_choice`.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Choice {
    /// `"auto"`, `"none"` or `"required"`.
    Word(&'static str),
    /// The function that the model has to call.
    Function(Named),
    /// The functions that the model may call, among those that it knows.
    Allowed {
        /// Always `allowed_tools`.
        r#type: &'static str,
        /// `auto` or `required`.
        mode: &'static str,
        /// At least one.
        tools: Vec<Named>,
    },
}

/// `{"type":"function","name":…}`
#[derive(Serialize)]
pub(super) struct Named {
    r#type: &'static str,
    name: String,
}

impl Named {
    /// Refers to a function by its tool's name.
    fn new(name: &str, names: &mut Names) -> Result<Self, RefusedError> {
        Ok(Self { r#type: "function", name: names.shorten(name, NAME)? })
    }
}

impl<'a> Function<'a> {
    /// Converts a tool that the caller runs.
    pub(super) fn new(tool: &'a Tool, names: &mut Names) -> Result<Self, RefusedError> {
        Ok(Self {
            r#type: "function",
            name: names.shorten(&tool.name, NAME)?,
            description: tool.description.as_deref(),
            parameters: match &tool.input_schema {
                Some(schema) => Cow::Borrowed(schema),
                None => Cow::Owned(no_parameters()),
            },
            strict: tool.strict.unwrap_or(false),
        })
    }
}

/// Returns the request's tools. Those that Anthropic's servers run are left out and reported; those
/// that the conversation adds later are input items, so they are left out too.
pub(super) fn functions<'a>(
    offer: Offer<'a>,
    names: &mut Names,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Vec<Function<'a>>, RefusedError> {
    let mut functions = Vec::with_capacity(offer.tools.len());
    for (index, tool) in offer.tools.iter().enumerate() {
        if offer.is_given(tool) && takes_tool(index, tool, losses) {
            functions.push(Function::new(tool, names)?);
        }
    }
    Ok(functions)
}

/// Converts a tool choice.
///
/// ```text
/// {"type":"auto"}              → "auto"
/// {"type":"any"}               → "required"
/// {"type":"none"}              → "none"
/// {"type":"tool","name":"Ls"}  → {"type":"function","name":"Ls"}
/// ```
pub(super) fn choice(choice: &ToolChoice, names: &mut Names) -> Result<Choice, RefusedError> {
    Ok(match choice.mode() {
        ToolMode::Auto => Choice::Word("auto"),
        ToolMode::Required => Choice::Word("required"),
        ToolMode::Forbidden => Choice::Word("none"),
        ToolMode::Only(name) => Choice::Function(Named::new(name, names)?),
    })
}

/// Restricts a choice to the tools that the conversation has not removed. `all` are the tools that
/// the model knows, and `removed` their original names.
///
/// ```text
/// auto, tools Bash and Ls, Ls removed
/// → {"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"Bash"}]}
/// ```
///
/// If no tool is left, the choice is `none`. When the choice is a single function, or `none`, it
/// stays as it is. `tools` itself does not change, so the prefix stays valid.
pub(super) fn restrict<'a>(
    choice: Option<Choice>,
    all: impl Iterator<Item = &'a Tool>,
    removed: &[String],
    names: &mut Names,
) -> Result<Choice, RefusedError> {
    let mode = match choice {
        None | Some(Choice::Word("auto")) => "auto",
        Some(Choice::Word("required")) => "required",
        Some(other) => return Ok(other),
    };
    let allowed = all.filter(|tool| !removed.contains(&tool.name));
    let tools: Vec<_> =
        allowed.map(|tool| Named::new(&tool.name, names)).collect::<Result<_, _>>()?;
    Ok(if tools.is_empty() {
        Choice::Word("none")
    } else {
        Choice::Allowed { r#type: "allowed_tools", mode, tools }
    })
}
