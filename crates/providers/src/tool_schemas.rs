//! The schemas of tools, repaired for the servers of a wire.
//!
//! ```text
//! Responses   {"type":"object"}                      → {"type":"object","properties":{}}
//! Messages    {"type":"object","properties":{"a b":…}} → the key is a_b, also in calls of the history
//! ```
//!
//! Another MCP server's faulty tool must not end a session: a tool of an MCP server whose schema
//! cannot be repaired is left out. Any other is an error. Schemas for Gemini are translated as a
//! whole, by `gemini::schema`.

use std::sync::Arc;

use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, History, Marker};
use aside_messages::wire::{ContentBlock, Message, RawJson, Tool, ToolChoice};
use aside_models::Wire;
use aside_rules::of::schema::{Repaired, SchemaUse, repair};
use aside_rules::of::tool::schema_fault;
use aside_rules::table;

use crate::inner_form::ServerTool;
use crate::loss::ConversionLoss;
use crate::names::KeyNames;
use crate::refused::RefusedError;

/// The tools of a request whose schemas had faults.
#[derive(Debug)]
pub(crate) struct RepairedTools {
    pub(crate) tools: Arc<Encoded>,
    pub(crate) losses: Vec<ConversionLoss>,
    /// The replaced keys of properties, by tool.
    pub(crate) keys: Arc<KeyNames>,
    /// The new index of each tool, or that of the one before a tool that was left out.
    places: Vec<Option<usize>>,
}

/// Repairs tools for a wire; `None` if there is nothing to repair.
///
/// # Errors
/// If a tool that is not of an MCP server has a schema that cannot be repaired, or the request
/// forces a call of a tool that has to be left out.
pub(crate) fn repaired(
    tools: &[Tool],
    choice: Option<&ToolChoice>,
    wire: Wire,
) -> Result<Option<RepairedTools>, RefusedError> {
    let (mut kept, mut losses) = (Vec::with_capacity(tools.len()), Vec::new());
    let mut keys = KeyNames::default();
    let mut places = Vec::with_capacity(tools.len());
    for (index, tool) in tools.iter().enumerate() {
        match repaired_tool(tool, wire) {
            Ok(None) => kept.push(tool.clone()),
            Ok(Some((tool, repaired))) => {
                losses.extend(repaired.repairs.iter().map(|it| {
                    let dot = if it.path.is_empty() { "" } else { "." };
                    let path = format!("tools[{index}].input_schema{dot}{}", it.path);
                    let what = format!("{} ({})", it.what, title(&tool.name));
                    ConversionLoss::new(path, what)
                }));
                if !repaired.keys.is_empty() {
                    keys.insert(tool.name.clone(), repaired.keys);
                }
                kept.push(tool);
            }
            Err((path, found)) => {
                let is_chosen = choice.is_some_and(|it| it.name.as_ref() == Some(&tool.name));
                if mcp_server(&tool.name).is_none() || is_chosen {
                    let path = format!("tools[{index}].{path}");
                    return Err(RefusedError::one(&table::TOOL_SCHEMA, path, found));
                }
                losses.push(left_out(index, tool, &format!("{path} is {found}")));
            }
        }
        places.push(kept.len().checked_sub(1));
    }
    Ok((!losses.is_empty()).then(|| RepairedTools {
        tools: Arc::new(Encoded::verbatim_tools(kept)),
        losses,
        keys: Arc::new(keys),
        places,
    }))
}

/// A fault that cannot be repaired: its path in the tool, and what is there.
type Unrepaired = (String, String);

/// Repairs one tool; `None` if its schema is accepted as it is.
fn repaired_tool(tool: &Tool, wire: Wire) -> Result<Option<(Tool, Repaired)>, Unrepaired> {
    let of = match wire {
        Wire::Messages => SchemaUse::MessagesTool,
        _ if tool.strict == Some(true) => SchemaUse::OpenAiStrict,
        _ => SchemaUse::OpenAi,
    };
    let schema = tool.input_schema.as_ref();
    if tool.is_of_the_server() || wire == Wire::GenerateContent {
        return Ok(None);
    }
    let fault = |schema: Option<&str>| {
        let kind = tool.kind.as_deref().unwrap_or_default();
        let fault = schema_fault(kind, schema).filter(|_| wire == Wire::Messages);
        fault.map(|found| ("input_schema".to_owned(), found))
    };
    let Some(schema) = schema.filter(|it| it.is_object()) else {
        return fault(schema.map(RawJson::get)).map_or(Ok(None), Err);
    };
    let repaired = repair(of, schema.get()).map_err(|fault| {
        let found = format!("{}, the server accepts {}", fault.found, fault.expected);
        (format!("input_schema.{}", fault.path), found)
    })?;
    let Some(repaired) = repaired else {
        return fault(Some(schema.get())).map_or(Ok(None), Err);
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

/// Returns the server and the tool of a name such as `mcp__docs__search`.
pub(crate) fn mcp_server(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

/// Returns the loss of a tool whose schema cannot be repaired.
pub(crate) fn left_out(index: usize, tool: &Tool, found: &str) -> ConversionLoss {
    let what = format!("left out: {found} ({})", title(&tool.name));
    ConversionLoss::new(format_args!("tools[{index}]"), what)
}

fn title(name: &str) -> String {
    match mcp_server(name) {
        Some((server, tool)) => format!("tool {tool:?} of the MCP server {server:?}"),
        None => format!("tool {name:?}"),
    }
}

impl RepairedTools {
    /// Returns a request of the Messages API with these tools. If keys were replaced, the calls in
    /// its history have the replaced keys too, since these are the bytes that the model wrote: the
    /// time is then in proportion to the history.
    pub(crate) fn apply(&self, body: &Body) -> Body {
        let parts = body.parts();
        let markers: Vec<_> = parts
            .markers
            .iter()
            .filter_map(|it| self.marker(it))
            .collect();
        let mut history = History::default();
        let mut tail = parts.tail.to_vec();
        if self.keys.is_empty() {
            history = parts.history.clone();
        } else {
            parts
                .history
                .messages()
                .for_each(|it| history.push(self.message(it)));
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
        renamed.map_or_else(
            || encoded.clone(),
            |message| Arc::new(Encoded::verbatim_message(message)),
        )
    }

    /// Returns the message with the replaced keys; `None` if it has no such call.
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
