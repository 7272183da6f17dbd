//! Writes the request body up to the first conversation message.

use aside_messages::encode::BodyParts;
use aside_messages::wire::RawJson;
use serde::Serialize;
use serde_json::Number;

use super::effort::effort;
use super::message::{Message, NO_MARKERS, system};
use super::tools::{Choice, Function, function, tool_choice};
use crate::body_writer::{Head, MARKERS};
use crate::inner_form::{has_markers, systems_lost};
use crate::json::write_json;
use crate::loss::{ConversionLoss, Reason};
use crate::names::Names;
use crate::options::ResponseMode;
use crate::outgoing::Envelope;
use crate::parameters::{Parameters, extra, only_anthropic};
use crate::provider_spec::{AnswerLimit, ChatDialect, ServerKind};
use crate::refused::RefusedError;

/// The body for `POST /chat/completions`. Like the inner form, it has the messages last.
///
/// ```json
/// {
///   "model": "gpt-4.1", "max_completion_tokens": 64, "stream": true,
///   "stream_options": {"include_usage": true},
///   "tools": [{"type": "function", "function": {"name": "now"}}],
///   "messages": [{"role": "system", "content": "…"}, {"role": "user", "content": "Hi"}]
/// }
/// ```
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    /// The answer's limit in tokens, under the name that `Options::answer_limit` sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    /// The same limit under its older name; never with `max_completion_tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    /// True for a streamed response; else the request's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    /// Asks for the usage in the last chunk, which the server leaves out by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<&'a Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<&'a RawJson>,
    /// At most four: a request with more was refused before.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop: &'a [String],
    /// Left out when there are no tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice>,
    /// Only `false` is written, when the request has `disable_parallel_tool_use`.
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    /// See `effort`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verbosity: Option<String>,
    /// The answer's schema, if the request has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    /// Only on the provider's own server.
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'static str>,
    /// The user's id, on the provider's own server.
    #[serde(skip_serializing_if = "Option::is_none")]
    safety_identifier: Option<String>,
    /// The user's id, on compatible servers, which have the older name.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// The session's id, if the caller set one and the server accepts this key.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Function<'a>>,
    /// The system prompt, if there is one; the conversation is written after it.
    messages: Vec<Message<'a>>,
}

/// `{"type":"json_schema","json_schema":{…}}`
#[derive(Serialize)]
struct ResponseFormat<'a> {
    r#type: &'static str,
    json_schema: JsonSchema<'a>,
}

#[derive(Serialize)]
struct JsonSchema<'a> {
    /// Always `answer`: the wire requires a name.
    name: &'static str,
    /// The request's schema, byte for byte.
    schema: &'a RawJson,
    /// False if the schema does not meet the rules for strict outputs.
    strict: bool,
}

#[derive(Serialize)]
struct StreamOptions {
    /// Always true.
    include_usage: bool,
}

/// Writes the body up to the first conversation message, once the request is known to be sendable.
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
    let limit = |of| (key == of && request.max_tokens > 0).then_some(request.max_tokens);
    let streams = envelope.delivery == ResponseMode::Streamed;
    let mut lost = Vec::new();
    let mut tools = Vec::with_capacity(parts.tools.as_tools().len());
    for (index, tool) in parts.tools.as_tools().iter().enumerate() {
        tools.extend(function(index, tool, names, &mut lost)?);
    }
    let system_prompt = parts.system.as_system();
    systems_lost(system_prompt, &mut lost);
    if has_markers(parts) {
        lost.push(ConversionLoss::new(MARKERS, NO_MARKERS));
    }
    let choice = request.tool_choice.as_ref().filter(|_| !tools.is_empty());
    let single = choice.and_then(|choice| choice.disable_parallel_tool_use);
    let mut parameters_lost = Vec::new();
    let parameters = Parameters::read(request, &mut parameters_lost);
    let is_own = options.server == ServerKind::Own;
    let effort = effort(request, &parameters, envelope, !tools.is_empty(), &mut parameters_lost);
    let messages: Vec<_> = system(system_prompt, &envelope.model).into_iter().collect();
    let has_item = !messages.is_empty();
    let body = Body {
        model: &envelope.model,
        max_completion_tokens: limit(AnswerLimit::MaxCompletionTokens),
        max_tokens: limit(AnswerLimit::MaxTokens),
        stream: envelope.stream_key(request),
        stream_options: streams.then_some(StreamOptions { include_usage: true }),
        temperature: request.temperature.as_ref(),
        top_p: extra(request, "top_p"),
        stop: &request.stop_sequences,
        tool_choice: choice.map(|it| tool_choice(it, names)).transpose()?,
        parallel_tool_calls: (single == Some(true)).then_some(false),
        reasoning_effort: effort,
        verbosity: parameters.verbosity.clone(),
        response_format: parameters.schema.as_ref().map(|schema| ResponseFormat {
            r#type: "json_schema",
            json_schema: JsonSchema {
                name: "answer",
                schema,
                strict: parameters.is_strict(&mut parameters_lost),
            },
        }),
        service_tier: match parameters.service_tier() {
            Some(_) if !is_own => {
                parameters_lost.push(Reason::CompatibleServer.at("service_tier"));
                None
            }
            tier => tier,
        },
        // Compatible servers have the older name.
        safety_identifier: parameters.user_id.clone().filter(|_| is_own),
        user: parameters.user_id.clone().filter(|_| !is_own),
        prompt_cache_key: options.session_id.as_deref().filter(|_| dialect.prompt_cache_key),
        tools,
        messages,
    };
    let mut bytes = Vec::new();
    write_json(&mut bytes, &body);
    bytes.truncate(bytes.len() - b"]}".len());
    only_anthropic(request, &["top_p"], &mut parameters_lost);
    Ok(Head { bytes, has_item, slots: Vec::new(), losses: [lost, parameters_lost] })
}
