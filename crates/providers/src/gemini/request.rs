//! Writes the request body up to the first content.

use std::collections::BTreeMap;

use aside_messages::encode::BodyParts;
use aside_messages::wire::{ContentBlock, Request};

use super::content::NO_MARKERS;
use super::models::thinking_config;
use super::part::Part;
use super::tools::{declarations, mode};
use crate::body_writer::{Head, MARKERS};
use crate::inner_form::{choice_among, has_markers, system_text, systems_lost, takes_name};
use crate::json::JsonObject;
use crate::loss::{ConversionLoss, Reason};
use crate::names::Names;
use crate::parameters::{Parameters, extra, only_anthropic};
use crate::provider::Provider;
use crate::refused::RefusedError;

/// Writes the body for `generateContent` up to the first content, once the request is known to be
/// sendable. Like the inner form, it has the conversation last.
///
/// ```json
/// {
///   "generationConfig": {"maxOutputTokens": 64, "thinkingConfig": {"includeThoughts": true}},
///   "tools": [{"functionDeclarations": [{"name": "now"}]}],
///   "systemInstruction": {"parts": [{"text": "…"}]},
///   "contents": [{"role": "user", "parts": [{"text": "Hi"}]}]
/// }
/// ```
///
/// The model and the delivery are in the path.
///
/// The bytes end after `"contents":[`. When a model before generation 3 has tools, an answer schema
/// is left out and reported.
///
/// # Errors
///
/// When a tool's schema is refused (rule `schema`), or two tools would have the same name once
/// shortened.
pub(crate) fn head(
    parts: &BodyParts<'_>,
    model: &str,
    names: &mut Names,
) -> Result<Head, RefusedError> {
    let request = &**parts.parameters;
    let facts = Provider::Gemini.spec().facts(model);
    let (mut schemas_lost, mut lost) = (Vec::new(), Vec::new());
    systems_lost(parts.system.as_system(), &mut lost);
    if has_markers(parts) {
        lost.push(ConversionLoss::new(MARKERS, NO_MARKERS));
    }
    let parameters = Parameters::read(request, &mut lost);
    let (choice, tools) = (request.tool_choice.as_ref(), parts.tools.as_tools());
    let declarations = declarations(tools, choice, names, &mut schemas_lost)?;
    let is_written = |name: &str| takes_name(tools, name);
    let choice = choice_among(request, !declarations.is_empty(), is_written, &mut lost)?;
    let mode = choice.map(|choice| mode(choice, names)).transpose()?;
    let has_levels = facts.is_some_and(|it| it.signed_calls == Some(true));
    let schema = parameters.schema.as_ref().filter(|_| {
        // Before generation 3, a model takes only one: tools or an answer schema.
        let excluded = !declarations.is_empty() && !has_levels;
        if excluded {
            lost.push(Reason::FormatWithTools.at("output_config.format"));
        }
        !excluded
    });
    let mut bytes = Vec::new();
    let mut body = JsonObject::begin(&mut bytes);
    body.object("generationConfig", |it| {
        it.given("maxOutputTokens", request.max_tokens)
            .given("temperature", request.temperature.as_ref())
            .given("topP", extra(request, "top_p"))
            .given("topK", extra(request, "top_k"))
            // At most five: a request with more was refused before.
            .list("stopSequences", &request.stop_sequences)
            .given("responseMimeType", schema.map(|_| "application/json"))
            // Gemini takes this as plain JSON Schema.
            .given("responseJsonSchema", schema)
            .given("thinkingConfig", thinking_config(request, &parameters, facts, &mut lost));
    });
    if let Some((mode, allowed)) = mode {
        body.object("toolConfig", |it| {
            it.object("functionCallingConfig", |it| {
                it.set("mode", mode).list("allowedFunctionNames", allowed.as_slice());
            });
        });
    }
    if !declarations.is_empty() {
        // One item holds all functions.
        body.set("tools", &[BTreeMap::from([("functionDeclarations", declarations)])]);
    }
    let system = instruction(parts.system.as_system());
    if !system.is_empty() {
        body.object("systemInstruction", |it| {
            it.set("parts", &system);
        });
    }
    body.key("contents").push(b'[');
    unsupported(request, &parameters, &mut lost);
    Ok(Head { bytes, has_item: false, slots: Vec::new(), losses: [schemas_lost, lost] })
}

/// Returns the system prompt, without the attribution block and blank texts: one part for each text.
fn instruction(system: &[ContentBlock]) -> Vec<Part<'_>> {
    system.iter().filter_map(system_text).map(|text| Part::text(text.into())).collect()
}

/// Reports parameters without a counterpart on this wire.
fn unsupported(request: &Request, parameters: &Parameters<'_>, losses: &mut Vec<ConversionLoss>) {
    let choice = request.tool_choice.as_ref();
    let is_single = choice.and_then(|it| it.disable_parallel_tool_use) == Some(true);
    let found = [
        (is_single, "tool_choice.disable_parallel_tool_use", Reason::NoParallelSwitch),
        (parameters.user_id.is_some(), "metadata.user_id", Reason::NoUserId),
        (parameters.verbosity.is_some(), "output_config.verbosity", Reason::NoVerbosity),
        (request.service_tier.is_some(), "service_tier", Reason::NoServiceTier),
    ]
    .into_iter()
    .filter(|(is_there, ..)| *is_there);
    losses.extend(found.map(|(_, path, reason)| reason.at(path)));
    only_anthropic(request, &["top_p", "top_k"], losses);
}
