use aside_messages::encode::BodyParts;
use aside_messages::wire::{RawJson, Request, Tool, ToolChoice};
use serde::Serialize;
use serde_json::Number;

use super::message::{Message, system};
use crate::conversion::Head;
use crate::convert::{AnswerLimit, Refused};
use crate::inner_form::{ServerTool, systems_lost};
use crate::json::write_json;
use crate::loss::ConversionLoss;
use crate::names::{NAME, Names};
use crate::outgoing::{Delivery, Envelope};
use crate::provider_spec::ChatDialect;

/// The body of `POST /chat/completions`. Like the inner form it has the
/// messages last.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<&'a Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<&'a RawJson>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Function<'a>>,
    messages: Vec<Message<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Choice {
    Word(&'static str),
    Function(NamedFunction),
}

/// `{"type":"function","function":{"name":…}}`
#[derive(Serialize)]
struct NamedFunction {
    r#type: &'static str,
    function: Name,
}

#[derive(Serialize)]
struct Name {
    name: String,
}

#[derive(Serialize)]
struct Function<'a> {
    r#type: &'static str,
    function: Definition<'a>,
}

#[derive(Serialize)]
struct Definition<'a> {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'a RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

/// Writes the body up to the first message of the conversation, once the
/// request is known to be one that can be sent.
pub(crate) fn head(
    parts: &BodyParts<'_>,
    envelope: &Envelope<'_>,
    dialect: ChatDialect,
    names: &mut Names,
) -> Result<Head, Refused> {
    let (request, options) = (&**parts.parameters, envelope.options);
    let limit = |of| (options.answer_limit == of).then_some(request.max_tokens);
    let streams = envelope.delivery == Delivery::Streamed;
    let mut lost = Vec::new();
    let mut tools = Vec::with_capacity(parts.tools.as_tools().len());
    for (index, tool) in parts.tools.as_tools().iter().enumerate() {
        tools.extend(function(index, tool, names, &mut lost)?);
    }
    systems_lost(parts.system.as_system(), &mut lost);
    let choice = request.tool_choice.as_ref().filter(|_| !tools.is_empty());
    let single = choice.and_then(|choice| choice.disable_parallel_tool_use);
    let messages: Vec<_> = system(parts.system.as_system(), &envelope.model)
        .into_iter()
        .collect();
    let has_item = !messages.is_empty();
    let body = Body {
        model: &envelope.model,
        max_completion_tokens: limit(AnswerLimit::MaxCompletionTokens),
        max_tokens: limit(AnswerLimit::MaxTokens),
        stream: match envelope.delivery {
            Delivery::Streamed => Some(true),
            Delivery::Whole => request.stream,
        },
        stream_options: streams.then_some(StreamOptions {
            include_usage: true,
        }),
        temperature: request.temperature.as_ref(),
        top_p: extra(request, "top_p"),
        stop: &request.stop_sequences,
        tool_choice: choice.map(|it| tool_choice(it, names)).transpose()?,
        parallel_tool_calls: (single == Some(true)).then_some(false),
        prompt_cache_key: options
            .session_id
            .as_deref()
            .filter(|_| dialect.prompt_cache_key),
        tools,
        messages,
    };
    let mut bytes = Vec::new();
    write_json(&mut bytes, &body);
    bytes.truncate(bytes.len() - b"]}".len());
    Ok(Head {
        bytes,
        has_item,
        losses: [lost, parameters_lost(request)],
    })
}

/// Parameters that Chat Completions has no word for.
fn parameters_lost(request: &Request) -> Vec<ConversionLoss> {
    let mut losses = Vec::new();
    let parameters = [
        ("thinking", request.thinking.is_some()),
        ("metadata", request.metadata.is_some()),
        ("service_tier", request.service_tier.is_some()),
        ("output_config", request.output_config.is_some()),
        ("context_management", request.context_management.is_some()),
    ];
    for (name, _) in parameters.into_iter().filter(|(_, is_there)| *is_there) {
        losses.push(ConversionLoss::new(
            name,
            "left out: the wire has no such parameter",
        ));
    }
    for (key, _) in request.extra.0.iter().filter(|(key, _)| key != "top_p") {
        losses.push(ConversionLoss::new(
            key,
            "left out: the wire has no such parameter",
        ));
    }
    losses
}

pub(crate) fn extra<'a>(request: &'a Request, key: &str) -> Option<&'a RawJson> {
    let found = request.extra.0.iter().find(|(name, _)| name == key);
    found
        .map(|(_, value)| value)
        .filter(|value| value.get() != "null")
}

fn function<'a>(
    index: usize,
    tool: &'a Tool,
    names: &mut Names,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Option<Function<'a>>, Refused> {
    if tool.is_of_the_server() {
        let what = "left out: only Anthropic's servers run this tool";
        losses.push(ConversionLoss::new(format_args!("tools[{index}]"), what));
        return Ok(None);
    }
    Ok(Some(Function {
        r#type: "function",
        function: Definition {
            name: names.shorten(&tool.name, NAME)?,
            description: tool.description.as_deref(),
            parameters: tool.input_schema.as_ref(),
            strict: tool.strict,
        },
    }))
}

fn tool_choice(choice: &ToolChoice, names: &mut Names) -> Result<Choice, Refused> {
    Ok(match (choice.kind.as_str(), &choice.name) {
        ("any", _) => Choice::Word("required"),
        ("none", _) => Choice::Word("none"),
        ("tool", Some(name)) => Choice::Function(NamedFunction {
            r#type: "function",
            function: Name {
                name: names.shorten(name, NAME)?,
            },
        }),
        _ => Choice::Word("auto"),
    })
}
