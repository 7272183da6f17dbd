//! Writes the request body up to the first conversation message.

use aside_messages::encode::BodyParts;

use super::effort::effort;
use super::message::{markers_lost, system};
use super::tools::{function, tool_choice};
use crate::body_writer::{Head, MARKERS};
use crate::inner_form::{choice_among, has_markers, systems_lost, takes_name};
use crate::json::JsonObject;
use crate::loss::{ConversionLoss, Reason};
use crate::names::Names;
use crate::options::ResponseMode;
use crate::outgoing::Envelope;
use crate::parameters::{Parameters, extra, only_anthropic};
use crate::provider_spec::{AnswerLimit, ChatDialect};
use crate::refused::RefusedError;

/// Writes the body for `POST /chat/completions` up to the first conversation message, once the
/// request is known to be sendable. Like the inner form, it has the messages last.
///
/// ```json
/// {
///   "model": "gpt-4.1", "max_completion_tokens": 64, "stream": true,
///   "stream_options": {"include_usage": true},
///   "tools": [{"type": "function", "function": {"name": "now"}}],
///   "messages": [{"role": "system", "content": "…"}, {"role": "user", "content": "Hi"}]
/// }
/// ```
///
/// The bytes end after `"messages":[`, or after the message with the system prompt; `Writer` writes
/// the separators, the messages and the end.
///
/// # Errors
///
/// When two tools would have the same name once shortened.
pub(crate) fn head(
    parts: &BodyParts<'_>,
    envelope: &Envelope<'_>,
    dialect: ChatDialect,
    names: &mut Names,
) -> Result<Head, RefusedError> {
    let (request, options) = (&**parts.parameters, envelope.options);
    let key = match options.answer_limit {
        AnswerLimit::MaxCompletionTokens => dialect.answer_limit,
        key @ AnswerLimit::MaxTokens => key,
    };
    let limit = |of| request.max_tokens.filter(|_| key == of);
    let mut lost = Vec::new();
    let mut tools = Vec::with_capacity(parts.tools.as_tools().len());
    for (index, tool) in parts.tools.as_tools().iter().enumerate() {
        tools.extend(function(index, tool, names, &mut lost)?);
    }
    let system_prompt = parts.system.as_system();
    systems_lost(system_prompt, &mut lost);
    if has_markers(parts) {
        lost.push(ConversionLoss::new(MARKERS, markers_lost(&envelope.model)));
    }
    let mut parameters_lost = Vec::new();
    let is_written = |name: &str| takes_name(parts.tools.as_tools(), name);
    let choice = choice_among(request, !tools.is_empty(), is_written, &mut parameters_lost)?;
    let single = choice.and_then(|choice| choice.disable_parallel_tool_use);
    let parameters = Parameters::read(request, &mut parameters_lost);
    let is_own = options.server.is_own();
    let session_id = options.session_id.as_deref();
    let effort = effort(request, &parameters, envelope, !tools.is_empty(), &mut parameters_lost);
    let messages: Vec<_> = system(system_prompt, &envelope.model).into_iter().collect();
    let has_item = !messages.is_empty();
    let mut bytes = Vec::new();
    let mut body = JsonObject::begin(&mut bytes);
    body.set("model", &*envelope.model)
        // One limit, under the name that `Options::answer_limit` sets, or under its older name.
        .given("max_completion_tokens", limit(AnswerLimit::MaxCompletionTokens))
        .given("max_tokens", limit(AnswerLimit::MaxTokens))
        .given("stream", envelope.stream_key(request));
    if envelope.delivery == ResponseMode::Streamed {
        // By default, the server leaves the usage out of the last chunk.
        body.object("stream_options", |it| {
            it.set("include_usage", &true);
        });
    }
    body.given("temperature", request.temperature.as_ref())
        .given("top_p", extra(request, "top_p"))
        // At most four: a request with more was refused before.
        .list("stop", &request.stop_sequences)
        .given("tool_choice", choice.map(|it| tool_choice(it, names)).transpose()?)
        .given("parallel_tool_calls", (single == Some(true)).then_some(false))
        .given("reasoning_effort", effort)
        .given("verbosity", parameters.verbosity.as_ref());
    if let Some(schema) = &parameters.schema {
        let is_strict = parameters.is_strict(&mut parameters_lost);
        body.object("response_format", |it| {
            it.set("type", "json_schema").object("json_schema", |it| {
                // The wire requires a name.
                it.set("name", "answer").set("schema", schema).set("strict", &is_strict);
            });
        });
    }
    let tier = parameters.service_tier();
    if tier.is_some() && !is_own {
        parameters_lost.push(Reason::CompatibleServer.at("service_tier"));
    }
    let identifier = is_own.then(|| parameters.safety_identifier(&mut parameters_lost));
    body.given("service_tier", tier.filter(|_| is_own))
        // Compatible servers have the older name.
        .given("safety_identifier", identifier.flatten())
        .given("user", parameters.user_id.as_ref().filter(|_| !is_own))
        .given("prompt_cache_key", session_id.filter(|_| dialect.prompt_cache_key))
        .list("tools", &tools)
        // The conversation is written after the system prompt.
        .set("messages", &messages);
    bytes.pop();
    only_anthropic(request, &["top_p"], &mut parameters_lost);
    Ok(Head { bytes, has_item, slots: Vec::new(), losses: [lost, parameters_lost] })
}
