//! Writes the body up to the first conversation item.

use aside_messages::encode::BodyParts;
use aside_messages::wire::{Tool, ToolChoice};

use super::form::Form;
use super::models::SystemPlace;
use super::parameters::{limit, reasoning, text};
use super::system::{developer_message, instructions};
use super::tool_changes::Offer;
use super::tools::{Choice, choice, functions, restrict};
use crate::body_writer::{Head, MARKERS};
use crate::inner_form::{choice_among, system_text, systems_lost};
use crate::json::JsonObject;
use crate::loss::{ConversionLoss, Reason};
use crate::names::Names;
use crate::outgoing::Envelope;
use crate::parameters::{Parameters, extra, only_anthropic};
use crate::refused::RefusedError;

/// Writes the body for `POST /responses` up to the first conversation item, once the request is
/// known to be sendable. Like the inner form, it has the conversation last.
///
/// ```json
/// {
///   "model": "gpt-6.2-sol", "max_output_tokens": 64, "stream": true, "store": false,
///   "include": ["reasoning.encrypted_content"], "reasoning": {"effort": "low", "summary": "auto"},
///   "tools": [{"type": "function", "name": "now", "parameters": {…}, "strict": false}],
///   "input": [{"type": "message", "role": "user", "content": […]}]
/// }
/// ```
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
    let offer = writer.form.offer(parts.tools.as_tools());
    let tools = functions(offer, names, &mut lost)?;
    let system = parts.system.as_system();
    systems_lost(system, &mut lost);
    markers_lost(parts, writer, &mut lost);
    let parameters = Parameters::read(request, &mut parameters_lost);
    let added = writer.changes.added();
    let has_tools = !(tools.is_empty() && added.is_empty());
    let is_written = |name: &str| {
        offer.written().any(|it| it.name == name) || added.iter().any(|it| it.name == name)
    };
    let chosen = choice_among(request, has_tools, is_written, &mut parameters_lost)?;
    let single = chosen.and_then(|it| it.disable_parallel_tool_use);
    // The server keeps no items, so a request has to return the encrypted reasoning.
    let reasons = !traits.facts.refuses_effort();
    let mut bytes = Vec::new();
    let mut body = JsonObject::begin(&mut bytes);
    body.set("model", &*envelope.model)
        .given("max_output_tokens", limit(request, dialect, &mut parameters_lost))
        .given("stream", envelope.stream_key(request))
        .set("store", &false)
        .given("include", reasons.then_some(["reasoning.encrypted_content"]))
        .given("temperature", request.temperature.as_ref())
        .given("top_p", extra(request, "top_p"));
    reasoning(&mut body, request, &parameters, writer.form, &mut parameters_lost);
    text(&mut body, &parameters, &mut parameters_lost);
    let tier = parameters.service_tier();
    if tier.is_some() && !dialect.service_tiers {
        parameters_lost.push(Reason::NoServiceTier.at("service_tier"));
    }
    // Without tools there is a choice only if it restricts the tools to those that are left.
    body.given("tool_choice", tool_choice(chosen, offer, writer, names)?)
        .given("parallel_tool_calls", (single == Some(true)).then_some(false))
        .given("service_tier", tier.filter(|_| dialect.service_tiers))
        .given("safety_identifier", parameters.safety_identifier(&mut parameters_lost))
        .given("prompt_cache_key", options.session_id.as_ref());
    if let Some(id) = options.comparison_response_id.as_ref().filter(|_| traits.breakpoints) {
        // An earlier response, for the server to compare the prompt with.
        body.object("prompt_cache_options", |it| {
            it.set("comparison_response_id", id);
        });
    }
    // Without those that the conversation adds later.
    body.list("tools", &tools);
    if traits.system == SystemPlace::Instructions {
        body.given("instructions", instructions(system));
    }
    body.key("input").push(b'[');
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
    offer: Offer<'_>,
    writer: &super::Writer,
    names: &mut Names,
) -> Result<Option<Choice>, RefusedError> {
    let chosen = chosen.map(|it| choice(it, names)).transpose()?;
    let removed = writer.changes.removed();
    if removed.is_empty() {
        return Ok(chosen);
    }
    let added = writer.changes.added();
    let is_added = |tool: &Tool| added.iter().any(|it| it.name == tool.name);
    let given = offer.written().filter(|tool| !is_added(tool));
    let all = given.chain(added.iter().map(|tool| &**tool));
    restrict(chosen, all, removed, names).map(Some)
}

/// Reports the request's own markers on tools, and on a system prompt without parts.
fn markers_lost(parts: &BodyParts<'_>, writer: &super::Writer, losses: &mut Vec<ConversionLoss>) {
    let traits = writer.form.traits;
    let mut on_tools = parts.tools.as_tools().iter().filter(|tool| tool.cache_control.is_some());
    let system = parts.system.as_system();
    let mut on_system = system.iter().filter(|block| {
        let has_slot = traits.breakpoints && system_text(block).is_some();
        block.cache_control().is_some() && !has_slot
    });
    let is_automatic = parts.parameters.cache_control.is_some();
    if is_automatic || on_tools.next().is_some() || on_system.next().is_some() {
        losses.push(ConversionLoss::new(MARKERS, writer.form.markers_lost()));
    }
}
