//! Writes the body up to the first conversation item.

use aside_messages::encode::BodyParts;
use aside_messages::wire::{RawJson, Tool, ToolChoice};
use serde::Serialize;
use serde_json::Number;

use super::form::Form;
use super::models::SystemPlace;
use super::parameters::{Reasoning, Text, limit, reasoning, text};
use super::system::{developer_message, instructions, is_text};
use super::tools::{Choice, Function, choice, functions, restrict};
use crate::body_writer::{Head, MARKERS};
use crate::inner_form::{ServerTool, systems_lost};
use crate::json::write_json;
use crate::loss::{ConversionLoss, Reason};
use crate::names::Names;
use crate::outgoing::Envelope;
use crate::parameters::{Parameters, extra, only_anthropic};
use crate::refused::RefusedError;

/// The body for `POST /responses`. Like the inner form, it has the conversation last.
///
/// ```json
/// {
///   "model": "gpt-6.2-sol", "max_output_tokens": 64, "stream": true, "store": false,
///   "include": ["reasoning.encrypted_content"], "reasoning": {"effort": "low", "summary": "auto"},
///   "tools": [{"type": "function", "name": "now", "parameters": {…}, "strict": false}],
///   "input": [{"type": "message", "role": "user", "content": […]}]
/// }
/// ```
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    /// The answer's limit in tokens, raised to the smallest that the provider takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    /// True for a streamed response; else the request's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    /// Always false: the server keeps no items.
    store: bool,
    /// Asks for encrypted reasoning, which a stateless request has to return.
    include: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<&'a Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<&'a RawJson>,
    /// How much to reason, and whether to summarize it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    /// The answer's format and verbosity.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
    /// Left out when there are no tools, unless it restricts the choice to the remaining ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice>,
    /// Only `false` is written, when the request has `disable_parallel_tool_use`.
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    /// Set if the provider has tiers; else it is reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'static str>,
    /// The user's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    safety_identifier: Option<String>,
    /// The session's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    /// Only for models with cache breakpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_options: Option<CacheOptions<'a>>,
    /// Without those that the conversation adds later.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Function<'a>>,
    /// The system prompt, for models that cache it there.
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    /// Opens the input, whose items are written after it.
    input: [(); 0],
}

#[derive(Serialize)]
struct CacheOptions<'a> {
    /// An earlier response, for the server to compare the prompt with.
    comparison_response_id: &'a str,
}

/// Writes the body up to the first conversation item, once the request is known to be sendable.
///
/// The bytes end after `"input":[`, or after the `developer` message with the system prompt.
/// Removed tools change the choice, so `writer` has to have scanned the whole conversation.
///
/// # Errors
///
/// When two tools would have the same name once shortened.
pub(crate) fn head(
    parts: &BodyParts<'_>,
    envelope: &Envelope<'_>,
    writer: &super::Writer,
    names: &mut Names,
) -> Result<Head, RefusedError> {
    let (request, options) = (&**parts.parameters, envelope.options);
    let Form { traits, dialect } = writer.form;
    let (mut lost, mut parameters_lost) = (Vec::new(), Vec::new());
    let tools = functions(writer.form.offer(parts.tools.as_tools()), names, &mut lost)?;
    let system = parts.system.as_system();
    systems_lost(system, &mut lost);
    markers_lost(parts, writer, &mut lost);
    let parameters = Parameters::read(request, &mut parameters_lost);
    let added = writer.changes.added();
    let has_tools = !(tools.is_empty() && added.is_empty());
    let chosen = request.tool_choice.as_ref().filter(|_| has_tools);
    let single = chosen.and_then(|it| it.disable_parallel_tool_use);
    let body = Body {
        model: &envelope.model,
        max_output_tokens: limit(request, dialect, &mut parameters_lost),
        stream: envelope.stream_key(request),
        store: false,
        include: ["reasoning.encrypted_content"],
        temperature: request.temperature.as_ref(),
        top_p: extra(request, "top_p"),
        reasoning: reasoning(request, &parameters, traits, dialect, &mut parameters_lost),
        text: text(&parameters, &mut parameters_lost),
        tool_choice: tool_choice(chosen, parts, writer, names)?,
        parallel_tool_calls: (single == Some(true)).then_some(false),
        service_tier: match parameters.service_tier() {
            Some(_) if !dialect.service_tiers => {
                parameters_lost.push(Reason::NoServiceTier.at("service_tier"));
                None
            }
            tier => tier,
        },
        safety_identifier: parameters.user_id.clone(),
        prompt_cache_key: options.session_id.as_deref(),
        prompt_cache_options: match (&options.comparison_response_id, traits.breakpoints) {
            (Some(comparison_response_id), true) => Some(CacheOptions { comparison_response_id }),
            _ => None,
        },
        tools,
        instructions: match traits.system {
            SystemPlace::Instructions => instructions(system),
            SystemPlace::DeveloperMessage => None,
        },
        input: [],
    };
    let mut bytes = Vec::new();
    write_json(&mut bytes, &body);
    bytes.truncate(bytes.len() - b"]}".len());
    let mut slots = Vec::new();
    let has_item = match traits.system {
        SystemPlace::Instructions => false,
        SystemPlace::DeveloperMessage => {
            developer_message(system, traits.breakpoints, &mut bytes, &mut slots)
        }
    };
    if !request.stop_sequences.is_empty() {
        parameters_lost.push(Reason::NoStops.at("stop_sequences"));
    }
    only_anthropic(request, &["top_p"], &mut parameters_lost);
    Ok(Head { bytes, has_item, slots, losses: [lost, parameters_lost] })
}

/// Returns a choice among the tools that the conversation has left. If it removed none, this is the
/// request's choice.
fn tool_choice(
    chosen: Option<&ToolChoice>,
    parts: &BodyParts<'_>,
    writer: &super::Writer,
    names: &mut Names,
) -> Result<Option<Choice>, RefusedError> {
    let chosen = chosen.map(|it| choice(it, names)).transpose()?;
    let removed = writer.changes.removed();
    if removed.is_empty() {
        return Ok(chosen);
    }
    let offer = writer.form.offer(parts.tools.as_tools());
    let added = writer.changes.added();
    let is_added = |tool: &Tool| added.iter().any(|it| it.name == tool.name);
    let given = offer
        .tools
        .iter()
        .filter(|tool| offer.is_given(tool) && tool.left_out().is_none() && !is_added(tool));
    let all = given.chain(added.iter().map(|tool| &**tool));
    restrict(chosen, all, removed, names).map(Some)
}

/// Reports the request's own markers on tools, and on a system prompt without parts.
fn markers_lost(parts: &BodyParts<'_>, writer: &super::Writer, losses: &mut Vec<ConversionLoss>) {
    let traits = writer.form.traits;
    let mut on_tools = parts.tools.as_tools().iter().filter(|tool| tool.cache_control.is_some());
    let system = parts.system.as_system();
    let mut on_system = system.iter().filter(|block| {
        let has_slot = traits.breakpoints && is_text(block);
        block.cache_control().is_some() && !has_slot
    });
    let is_automatic = parts.parameters.cache_control.is_some();
    if is_automatic || on_tools.next().is_some() || on_system.next().is_some() {
        losses.push(ConversionLoss::new(MARKERS, writer.form.markers_lost()));
    }
}
