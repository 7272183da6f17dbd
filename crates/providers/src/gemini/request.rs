use std::borrow::Cow;

use aside_messages::encode::BodyParts;
use aside_messages::wire::{ContentBlock, RawJson, Request, Tool, ToolChoice};
use serde::Serialize;
use serde_json::Number;

use super::content::Part;
use super::schema::{Rewritten, SchemaError, rewrite};
use crate::conversion::Head;
use crate::convert::Refused;
use crate::inner_form::{ServerTool, is_attribution, systems_lost};
use crate::json::{Json, write_json};
use crate::loss::ConversionLoss;
use crate::names::{NAME, Names};
use crate::openai::extra;
use crate::provider::Provider;

/// The body of `generateContent`. Like the inner form it has the conversation
/// last.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    generation_config: GenerationConfig<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<ToolConfig>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tools<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Instruction<'a>>,
    /// Written behind it.
    contents: [(); 0],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig<'a> {
    max_output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<&'a Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<&'a RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<&'a RawJson>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThinkingConfig {
    include_thoughts: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolConfig {
    function_calling_config: FunctionCallingConfig,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FunctionCallingConfig {
    mode: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allowed_function_names: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

#[derive(Serialize)]
struct Declaration<'a> {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Json>,
}

#[derive(Serialize)]
struct Instruction<'a> {
    parts: Vec<Part<'a>>,
}

/// The largest budget that every model of the second generation takes.
const LARGEST_BUDGET: u64 = 24_576;

/// Writes the body up to the first content, once the request is known to be one
/// that can be sent.
pub(crate) fn head(parts: &BodyParts<'_>, model: &str, names: &mut Names) -> Result<Head, Refused> {
    let request = &**parts.parameters;
    let facts = Provider::Gemini.spec().facts(model);
    let signed_calls = facts.is_some_and(|it| it.signed_calls == Some(true));
    let mut schemas_lost = Vec::new();
    let declarations = declarations(parts.tools.as_tools(), names, &mut schemas_lost)?;
    let choice = request
        .tool_choice
        .as_ref()
        .filter(|_| !declarations.is_empty());
    let tool_config = choice
        .map(|choice| tool_config(choice, names))
        .transpose()?;
    let tools = match declarations.is_empty() {
        true => Vec::new(),
        false => vec![Tools {
            function_declarations: declarations,
        }],
    };
    let body = Body {
        generation_config: GenerationConfig {
            max_output_tokens: request.max_tokens,
            temperature: request.temperature.as_ref(),
            top_p: extra(request, "top_p"),
            top_k: extra(request, "top_k"),
            stop_sequences: &request.stop_sequences,
            thinking_config: thinking_config(request, signed_calls),
        },
        tool_config,
        tools,
        system_instruction: instruction(parts.system.as_system()),
        contents: [],
    };
    let mut bytes = Vec::new();
    write_json(&mut bytes, &body);
    bytes.truncate(bytes.len() - b"]}".len());
    let mut lost = Vec::new();
    systems_lost(parts.system.as_system(), &mut lost);
    parameters_lost(request, &mut lost);
    Ok(Head {
        bytes,
        has_item: false,
        losses: [schemas_lost, lost],
    })
}

fn declarations<'a>(
    tools: &'a [Tool],
    names: &mut Names,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Vec<Declaration<'a>>, Refused> {
    let mut declarations = Vec::with_capacity(tools.len());
    for (index, tool) in tools.iter().enumerate() {
        let path = format_args!("tools[{index}]");
        if tool.is_of_the_server() {
            losses.push(ConversionLoss::new(
                path,
                "left out: only Anthropic's servers run this tool",
            ));
            continue;
        }
        let schema = tool.input_schema.as_ref().map(rewrite).transpose();
        let schema = schema.map_err(|error| {
            let path = format!("tools[{index}].input_schema");
            Refused::one("schema", path, error.found())
        })?;
        if schema.as_ref().is_some_and(|schema| schema.is_wider) {
            losses.push(ConversionLoss::new(
                path,
                "the schema is wider: Gemini lacks some of its words",
            ));
        }
        declarations.push(Declaration {
            name: names.shorten(&tool.name, NAME)?,
            description: tool.description.as_deref(),
            parameters: schema.and_then(|Rewritten { schema, .. }| schema),
        });
    }
    Ok(declarations)
}

impl SchemaError {
    fn found(&self) -> &'static str {
        match self {
            Self::TooDeep => "more than 64 levels",
            Self::TooLarge => "more than 256 KB, or 10000 schemas with references inlined",
            Self::NoObject => "no JSON object",
        }
    }
}

fn tool_config(choice: &ToolChoice, names: &mut Names) -> Result<ToolConfig, Refused> {
    let (mode, allowed) = match (choice.kind.as_str(), &choice.name) {
        ("any", _) => ("ANY", None),
        ("none", _) => ("NONE", None),
        ("tool", Some(name)) => ("ANY", Some(names.shorten(name, NAME)?)),
        _ => ("AUTO", None),
    };
    Ok(ToolConfig {
        function_calling_config: FunctionCallingConfig {
            mode,
            allowed_function_names: allowed.into_iter().collect(),
        },
    })
}

fn thinking_config(request: &Request, signed_calls: bool) -> Option<ThinkingConfig> {
    let thinking = request
        .thinking
        .as_ref()
        .filter(|it| it.kind != "disabled")?;
    // The third generation has levels in place of a budget.
    let budget = thinking.budget_tokens.filter(|_| !signed_calls);
    Some(ThinkingConfig {
        include_thoughts: true,
        thinking_budget: budget.map(|budget| budget.min(LARGEST_BUDGET)),
    })
}

fn instruction(system: &[ContentBlock]) -> Option<Instruction<'_>> {
    let parts: Vec<Part<'_>> = system
        .iter()
        .filter(|block| !is_attribution(block))
        .filter_map(|block| match block {
            ContentBlock::Text(text) => Some(Part::text(Cow::Borrowed(&text.text))),
            _ => None,
        })
        .collect();
    (!parts.is_empty()).then_some(Instruction { parts })
}

/// Parameters that `generateContent` has no word for.
fn parameters_lost(request: &Request, losses: &mut Vec<ConversionLoss>) {
    let single = request
        .tool_choice
        .as_ref()
        .and_then(|it| it.disable_parallel_tool_use);
    let off = request
        .thinking
        .as_ref()
        .is_some_and(|it| it.kind == "disabled");
    let parameters = [
        ("thinking", off),
        (
            "tool_choice.disable_parallel_tool_use",
            single == Some(true),
        ),
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
    let is_known = |key: &str| matches!(key, "top_p" | "top_k");
    for (key, _) in request.extra.0.iter().filter(|(key, _)| !is_known(key)) {
        losses.push(ConversionLoss::new(
            key,
            "left out: the wire has no such parameter",
        ));
    }
}
