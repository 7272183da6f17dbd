//! Function declarations, and the tool choice.

use aside_messages::wire::{RawJson, Tool, ToolChoice, ToolMode};
use aside_rules::of::schema::{SchemaUse, faults};
use aside_rules::table;
use serde::Serialize;

use super::schema::{SchemaError, Width, rewrite};

use crate::inner_form::takes_tool;
use crate::json::Json;
use crate::loss::{ConversionLoss, Reason};
use crate::names::{GEMINI_NAME, Names};
use crate::refused::RefusedError;
use crate::tool_schemas::left_out;
use aside_rules::of::tool::mcp_names;

/// A function that the model can call.
///
/// ```json
/// {"name": "Read", "description": "…", "parameters": {"type": "object", "properties": {…}}}
/// ```
#[derive(Serialize)]
pub(super) struct Declaration<'a> {
    /// The name, at most 128 characters, with a letter or `_` first.
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    /// The rewritten schema; left out when a tool has no parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Json>,
    /// The original, when the rewritten schema would be wider.
    #[serde(rename = "parametersJsonSchema", skip_serializing_if = "Option::is_none")]
    json_schema: Option<&'a RawJson>,
}

/// Declares the tools. Those that Anthropic's servers run are left out and reported. A schema that
/// would allow more than the original is sent as JSON Schema; if that is faulty, it is reported.
///
/// # Errors
///
/// When a schema cannot be rewritten (for an MCP tool, only if `choice` forces such a call), or a
/// shortened name is another tool's.
pub(super) fn declarations<'a>(
    tools: &'a [Tool],
    choice: Option<&ToolChoice>,
    names: &mut Names,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Vec<Declaration<'a>>, RefusedError> {
    let mut declarations = Vec::with_capacity(tools.len());
    for (index, tool) in tools.iter().enumerate() {
        let path = format_args!("tools[{index}]");
        if !takes_tool(index, tool, losses) {
            continue;
        }
        if tool.strict == Some(true) {
            losses.push(Reason::ToolKey.at(format_args!("tools[{index}].strict")));
        }
        let schema = tool.input_schema.as_ref().map(rewrite).transpose();
        let schema = match schema {
            Ok(schema) => schema,
            // One faulty MCP tool must not end the session.
            Err(error)
                if mcp_names(&tool.name).is_some()
                    && choice.is_none_or(|it| it.name.as_ref() != Some(&tool.name)) =>
            {
                losses.push(left_out(index, tool, error.found()));
                continue;
            }
            Err(error) => {
                let path = format!("tools[{index}].input_schema");
                return Err(RefusedError::one(&table::SCHEMA, path, error.found()));
            }
        };
        let width = schema.as_ref().map_or(Width::Same, |it| it.width);
        let original = tool.input_schema.as_ref().filter(|it| {
            let has_all_targets = schema.as_ref().is_some_and(|it| it.has_all_targets);
            let is_valid = || faults(SchemaUse::MessagesTool, it.get()).is_empty();
            width == Width::Wider && has_all_targets && is_valid()
        });
        match width {
            Width::Explicit => {
                losses.push(Reason::ItemsAdded.at(format_args!("{path}.input_schema")));
            }
            Width::Wider if original.is_none() => losses.push(Reason::WiderSchema.at(path)),
            Width::Same | Width::Wider => {}
        }
        let parameters = schema.filter(|_| original.is_none()).and_then(|it| it.schema);
        declarations.push(Declaration {
            name: names.shorten(&tool.name, GEMINI_NAME)?,
            description: tool.description.as_deref(),
            parameters,
            json_schema: original,
        });
    }
    Ok(declarations)
}

impl SchemaError {
    /// Returns the fault, as a fragment for a violation.
    fn found(&self) -> &'static str {
        match self {
            Self::TooDeep => "more than 64 levels",
            Self::TooLarge => "more than 256 KB, or 10000 schemas with references inlined",
            Self::NoObject => "no JSON object",
        }
    }
}

/// Converts a tool choice to a mode, and to the only function that is allowed with it.
///
/// ```text
/// {"type":"auto"}              → mode AUTO
/// {"type":"any"}               → mode ANY
/// {"type":"none"}              → mode NONE
/// {"type":"tool","name":"Ls"}  → mode ANY, allowedFunctionNames ["Ls"]
/// ```
pub(super) fn mode(
    choice: &ToolChoice,
    names: &mut Names,
) -> Result<(&'static str, Option<String>), RefusedError> {
    Ok(match choice.mode() {
        ToolMode::Auto => ("AUTO", None),
        ToolMode::Required => ("ANY", None),
        ToolMode::Forbidden => ("NONE", None),
        ToolMode::Only(name) => ("ANY", Some(names.shorten(name, GEMINI_NAME)?)),
    })
}
