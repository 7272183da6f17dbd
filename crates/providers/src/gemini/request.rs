//! Writes the request body up to the first content.

use std::borrow::Cow;

use aside_messages::encode::BodyParts;
use aside_messages::wire::{ContentBlock, RawJson, Request};
use serde::Serialize;
use serde_json::Number;

use super::content::NO_MARKERS;
use super::models::{ThinkingConfig, thinking_config};
use super::part::Part;
use super::tools::{ToolConfig, Tools, declarations, tool_config};
use crate::body_writer::{Head, MARKERS};
use crate::inner_form::{has_markers, is_attribution, systems_lost};
use crate::json::write_json;
use crate::loss::{ConversionLoss, Reason};
use crate::names::Names;
use crate::parameters::{Parameters, extra, only_anthropic};
use crate::provider::Provider;
use crate::refused::RefusedError;

/// The body for `generateContent`. Like the inner form, it has the conversation last.
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
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    /// The answer's limits and form.
    generation_config: GenerationConfig<'a>,
    /// Left out when there are no tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<ToolConfig>,
    /// At most one item, which holds all functions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tools<'a>>,
    /// The system prompt; left out if it has no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Instruction<'a>>,
    /// Opens the contents, which are written after it.
    contents: [(); 0],
}

/// The answer's parameters.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig<'a> {
    /// The answer's limit in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<&'a Number>,
    /// Copied from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<&'a RawJson>,
    /// Copied from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<&'a RawJson>,
    /// At most five: a request with more was refused before.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'a [String],
    /// `application/json` with a schema, else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    /// The answer's schema, which Gemini takes as plain JSON Schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<&'a RawJson>,
    /// See `thinking_config`.
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig>,
}

/// The system prompt, with one part for each text.
#[derive(Serialize)]
struct Instruction<'a> {
    parts: Vec<Part<'a>>,
}

/// Writes the body up to the first content, once the request is known to be sendable.
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
    let choice = request.tool_choice.as_ref();
    let tools = parts.tools.as_tools();
    let declarations = declarations(tools, choice, names, &mut schemas_lost)?;
    let choice = choice.filter(|_| !declarations.is_empty());
    let tool_config = choice.map(|choice| tool_config(choice, names)).transpose()?;
    let has_levels = facts.is_some_and(|it| it.signed_calls == Some(true));
    let schema = parameters.schema.as_ref().filter(|_| {
        // Before generation 3, a model takes only one: tools or an answer schema.
        let excluded = !declarations.is_empty() && !has_levels;
        if excluded {
            lost.push(Reason::FormatWithTools.at("output_config.format"));
        }
        !excluded
    });
    let body = Body {
        generation_config: GenerationConfig {
            max_output_tokens: (request.max_tokens > 0).then_some(request.max_tokens),
            temperature: request.temperature.as_ref(),
            top_p: extra(request, "top_p"),
            top_k: extra(request, "top_k"),
            stop_sequences: &request.stop_sequences,
            response_mime_type: schema.map(|_| "application/json"),
            response_json_schema: schema,
            thinking_config: thinking_config(request, &parameters, facts, &mut lost),
        },
        tool_config,
        tools: Tools::of(declarations).into_iter().collect(),
        system_instruction: instruction(parts.system.as_system()),
        contents: [],
    };
    let mut bytes = Vec::new();
    write_json(&mut bytes, &body);
    bytes.truncate(bytes.len() - b"]}".len());
    unsupported(request, &parameters, &mut lost);
    Ok(Head { bytes, has_item: false, slots: Vec::new(), losses: [schemas_lost, lost] })
}

/// Returns the system prompt, without the attribution block and blank texts; `None` if no text is
/// left.
fn instruction(system: &[ContentBlock]) -> Option<Instruction<'_>> {
    let parts: Vec<Part<'_>> = system
        .iter()
        .filter(|block| !is_attribution(block))
        .filter_map(|block| match block {
            ContentBlock::Text(text) if !text.text.trim().is_empty() => {
                Some(Part::text(Cow::Borrowed(&text.text)))
            }
            _ => None,
        })
        .collect();
    (!parts.is_empty()).then_some(Instruction { parts })
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
