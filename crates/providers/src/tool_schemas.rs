//! Repairs tool schemas for a wire's servers.
//!
//! ```text
//! Responses   {"type":"object"}                      → {"type":"object","properties":{}}
//! Messages    {"type":"object","properties":{"a b":…}} → the key is a_b, also in calls of the history
//! Messages    the 21st tool with "strict":true        → sent as not strict
//! ```
//!
//! One MCP server's faulty tool must not end a session, so when an MCP tool's schema cannot be
//! repaired, the tool is left out. For any other tool this is an error. To translate whole schemas
//! for Gemini, see `gemini::schema`.

use std::sync::Arc;

use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, History, Marker};
use aside_messages::wire::{ContentBlock, Message, RawJson, Tool, ToolChoice};
use aside_models::Wire;
use aside_rules::of::schema::{Repaired, SchemaFault, SchemaUse};
use aside_rules::of::strict::StrictSum;
use aside_rules::of::tool::{mcp_names, repair_schema};
use aside_rules::table;

use crate::inner_form::ServerTool;
use crate::loss::ConversionLoss;
use crate::names::KeyNames;
use crate::refused::RefusedError;

/// A request's tools, when some had faulty schemas.
#[derive(Debug)]
pub(crate) struct RepairedTools {
    pub(crate) tools: Arc<Encoded>,
    pub(crate) losses: Vec<ConversionLoss>,
    /// The replaced property keys, by tool.
    pub(crate) keys: Arc<KeyNames>,
    /// Each tool's new index, or that of the one before it when it was left out.
    places: Vec<Option<usize>>,
    /// The tools that were left out: their names, and the error to return when a request forces
    /// such a call.
    left_out: Vec<(String, RefusedError)>,
}

/// Repairs tools for a wire; `None` if there is nothing to repair.
///
/// # Errors
/// When a tool that is not from an MCP server has a schema that cannot be repaired.
pub(crate) fn repaired(tools: &[Tool], wire: Wire) -> Result<Option<RepairedTools>, RefusedError> {
    let (mut kept, mut losses) = (Vec::with_capacity(tools.len()), Vec::new());
    let mut unsent = Vec::new();
    let mut keys = KeyNames::default();
    let mut places = Vec::with_capacity(tools.len());
    let mut strict = StrictSum::default();
    for (index, tool) in tools.iter().enumerate() {
        match repaired_tool(tool, wire) {
            Ok(None) => {
                let mut tool = tool.clone();
                losses.extend(loosened(&mut tool, index, wire, &mut strict));
                kept.push(tool);
            }
            Ok(Some((mut tool, repaired))) => {
                losses.extend(repairs(&format!("tools[{index}]"), &tool.name, &repaired));
                if !repaired.keys.is_empty() {
                    keys.insert(tool.name.clone(), repaired.keys);
                }
                losses.extend(loosened(&mut tool, index, wire, &mut strict));
                kept.push(tool);
            }
            Err(fault) => {
                let found = server_takes(&fault);
                let at = format!("tools[{index}].{}", below_schema(&fault.path));
                let error = RefusedError::one(&table::TOOL_SCHEMA, at, &found);
                if mcp_names(&tool.name).is_none() {
                    return Err(error);
                }
                let place = match &*fault.path {
                    "" => "its schema".to_owned(),
                    path => format!("{path} of its schema"),
                };
                losses.push(left_out(index, tool, &format!("{place} is {found}")));
                unsent.push((tool.name.clone(), error));
            }
        }
        places.push(kept.len().checked_sub(1));
    }
    Ok((!losses.is_empty()).then(|| RepairedTools {
        tools: Arc::new(Encoded::verbatim_tools(kept)),
        losses,
        keys: Arc::new(keys),
        places,
        left_out: unsent,
    }))
}

/// Sends a strict tool as not strict if the Messages API would refuse it after those before.
fn loosened(
    tool: &mut Tool,
    index: usize,
    wire: Wire,
    before: &mut StrictSum,
) -> Option<ConversionLoss> {
    if wire != Wire::Messages || tool.strict != Some(true) {
        return None;
    }
    let sum = before.plus_tool(tool.input_schema.as_ref().map(RawJson::get));
    let Some((found, expected)) = sum.over_limits().into_iter().flatten().next() else {
        *before = sum;
        return None;
    };
    tool.strict = None;
    let what = format!("sent as not strict: {found}, {expected} ({})", title(&tool.name));
    Some(ConversionLoss::new(format_args!("tools[{index}].strict"), what))
}

/// Returns the losses to report when a tool's schema was repaired. `at` is the tool's path.
pub(crate) fn repairs(
    at: &str,
    name: &str,
    repaired: &Repaired,
) -> impl Iterator<Item = ConversionLoss> {
    repaired.repairs.iter().map(move |it| {
        let path = format!("{at}.{}", below_schema(&it.path));
        ConversionLoss::new(path, format!("{} ({})", it.what, title(name)))
    })
}

/// Converts a path in a tool's schema to a path in the tool.
fn below_schema(path: &str) -> String {
    let dot = if path.is_empty() { "" } else { "." };
    format!("input_schema{dot}{path}")
}

fn server_takes(fault: &SchemaFault) -> String {
    format!("{}, the server accepts {}", fault.found, fault.expected)
}

/// Repairs one tool; `None` if its schema is accepted as it is.
pub(crate) fn repaired_tool(
    tool: &Tool,
    wire: Wire,
) -> Result<Option<(Tool, Repaired)>, SchemaFault> {
    let of = match wire {
        Wire::Messages => SchemaUse::MessagesTool,
        _ if tool.strict == Some(true) => SchemaUse::OpenAiStrict,
        _ => SchemaUse::OpenAi,
    };
    if tool.left_out().is_some() || wire == Wire::GenerateContent {
        return Ok(None);
    }
    let schema = tool.input_schema.as_ref().map(RawJson::get);
    let Some(repaired) = repair_schema(of, tool.kind.as_deref(), schema)? else {
        return Ok(None);
    };
    let mut tool = tool.clone();
    tool.input_schema = RawJson::parse(&repaired.schema).ok();
    if repaired.is_loose {
        tool.strict = Some(false);
    }
    if let Some(text) = &repaired.description {
        let own = tool.description.take().map(|own| own + "\n\n");
        tool.description = Some(own.unwrap_or_default() + text);
    }
    Ok(Some((tool, repaired)))
}

/// Returns the loss to report when a tool's schema cannot be repaired.
pub(crate) fn left_out(index: usize, tool: &Tool, found: &str) -> ConversionLoss {
    let what = format!("left out: {found} ({})", title(&tool.name));
    ConversionLoss::new(format_args!("tools[{index}]"), what)
}

fn title(name: &str) -> String {
    match mcp_names(name) {
        Some((server, tool)) => format!("tool {tool:?} of the MCP server {server:?}"),
        None => format!("tool {name:?}"),
    }
}

/// Returns the schema of a tool without one, for a wire that requires it.
pub(crate) fn no_parameters() -> RawJson {
    RawJson::parse(r#"{"type":"object","properties":{}}"#).expect("a schema")
}

impl RepairedTools {
    /// Checks that the request does not force a call to a tool that was left out.
    ///
    /// # Errors
    /// What is wrong with this tool.
    pub(crate) fn permit(&self, choice: Option<&ToolChoice>) -> Result<(), RefusedError> {
        let chosen = choice.and_then(|it| it.name.as_ref());
        let refused = self.left_out.iter().find(|(name, _)| Some(name) == chosen);
        refused.map_or(Ok(()), |(_, error)| Err(error.clone()))
    }

    /// Returns a Messages API request with these tools. If keys were replaced, this also replaces
    /// them in the history's calls, because the model wrote those bytes: it then takes time
    /// proportional to the history.
    pub(crate) fn apply(&self, body: &Body) -> Body {
        let parts = body.parts();
        let markers: Vec<_> = parts.markers.iter().filter_map(|it| self.marker(it)).collect();
        let mut history = History::default();
        let mut tail = parts.tail.to_vec();
        if self.keys.is_empty() {
            history = parts.history.clone();
        } else {
            parts.history.messages().for_each(|it| history.push(self.message(it)));
            tail.iter_mut().for_each(|it| *it = self.message(it));
        }
        let body = Body::new(BodyParts {
            parameters: parts.parameters,
            tools: &self.tools,
            system: parts.system,
            history: &history,
            tail: &tail,
            markers: &markers,
        });
        body.expect("the markers are on blocks that are there")
    }

    fn marker(&self, marker: &Marker) -> Option<Marker> {
        let at = match marker.at {
            BlockRef::Tool(index) => BlockRef::Tool((*self.places.get(index)?)?),
            at => at,
        };
        let control = marker.control.clone();
        Some(Marker { at, control })
    }

    fn message(&self, encoded: &Arc<Encoded>) -> Arc<Encoded> {
        let renamed = encoded.as_message().and_then(|it| self.renamed(it));
        renamed
            .map_or_else(|| encoded.clone(), |message| Arc::new(Encoded::verbatim_message(message)))
    }

    /// Returns the message with its keys replaced; `None` if it has no such call.
    fn renamed(&self, message: &Message) -> Option<Message> {
        let mut renamed = None;
        for (index, block) in message.content.iter().enumerate() {
            if let ContentBlock::ToolUse(call) = block
                && let Some(input) = self.keys.sent(&call.name, call.input.get())
                && let Ok(input) = RawJson::parse(&input)
            {
                let message = renamed.get_or_insert_with(|| message.clone());
                if let Some(ContentBlock::ToolUse(call)) = message.content.get_mut(index) {
                    call.input = input;
                }
            }
        }
        renamed
    }
}
