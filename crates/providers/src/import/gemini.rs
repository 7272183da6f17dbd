//! Gemini's `generateContent`.

use std::collections::HashMap;
use std::sync::Arc;

use aside_messages::wire::{
    ContentBlock, Extra, MediaSource, RawJson, Request, ResultContent, Role, Tool, ToolChoice,
    ToolResult,
};

use super::ImportError;
use super::conversation::{Conversation, media, sealed, thinking};
use super::object::Object;
use super::parameters::{output_config, thinking_config};
use super::unread::{lose, report};
use crate::gemini::{SEAL, UNSIGNED};
use crate::json::Json;
use crate::loss::ConversionLoss;

/// Reads a request.
pub(super) fn request(
    body: &mut Object,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Request, ImportError> {
    let mut reader = Reader::default();
    for key in ["systemInstruction", "system_instruction"] {
        if let Some(mut system) = body.object(key)? {
            for mut part in system.objects("parts")? {
                let text = part.required("text")?;
                reader.conversation.system.push(ContentBlock::text(text));
            }
        }
    }
    for mut content in body.objects("contents")? {
        let role = content.string("role")?;
        let is_model = role.as_deref() == Some("model");
        for mut part in content.objects("parts")? {
            match is_model {
                true => reader.of_model(&mut part, losses)?,
                false => reader.of_user(&mut part, losses)?,
            }
            report(part, losses);
        }
    }
    let mut request = Request {
        system: reader.conversation.system,
        messages: reader.conversation.messages,
        model: body.string("model")?.unwrap_or_default(),
        ..Request::default()
    };
    for mut tools in body.objects("tools")? {
        for mut function in tools.objects("functionDeclarations")? {
            request.tools.push(tool(&mut function)?);
            report(function, losses);
        }
        report(tools, losses);
    }
    if let Some(mut config) = body.object("toolConfig")? {
        if let Some(mut calling) = config.object("functionCallingConfig")? {
            request.tool_choice = tool_choice(&mut calling)?;
            report(calling, losses);
        }
        report(config, losses);
    }
    if let Some(mut config) = body.object("generationConfig")? {
        generation(&mut config, &mut request)?;
        report(config, losses);
    }
    Ok(request)
}

fn generation(config: &mut Object, request: &mut Request) -> Result<(), ImportError> {
    request.max_tokens = config.value("maxOutputTokens", "a number")?.unwrap_or(0);
    request.temperature = config.value("temperature", "a number")?;
    let stops = config.value("stopSequences", "strings")?;
    request.stop_sequences = stops.unwrap_or_default();
    for (key, name) in [("topP", "top_p"), ("topK", "top_k")] {
        if let Some(value) = config.take(key) {
            request.extra.0.push((name.to_owned(), value));
        }
    }
    let mut effort = None;
    if let Some(mut it) = config.object("thinkingConfig")? {
        let level = it.string("thinkingLevel")?;
        effort = level.map(|level| level.to_ascii_lowercase());
        let budget: Option<u64> = it.value("thinkingBudget", "a number")?;
        let shows: Option<bool> = it.value("includeThoughts", "a boolean")?;
        request.thinking = match (budget, shows) {
            (Some(0), _) => Some(thinking_config("disabled")),
            (Some(budget), _) => Some(aside_messages::wire::ThinkingConfig {
                budget_tokens: Some(budget),
                ..thinking_config("enabled")
            }),
            (None, Some(true)) => Some(thinking_config("adaptive")),
            (None, _) => None,
        };
    }
    config.take("responseMimeType");
    let schema = config.take("responseJsonSchema");
    output_config(request, effort, None, schema);
    Ok(())
}

fn tool(function: &mut Object) -> Result<Tool, ImportError> {
    let schema = match function.take("parametersJsonSchema") {
        Some(schema) => Some(schema),
        None => function.take("parameters").map(|it| in_lower_case(&it)),
    };
    let empty = || RawJson::parse(r#"{"type":"object","properties":{}}"#).expect("a schema");
    Ok(Tool {
        kind: None,
        name: function.required("name")?,
        description: function.string("description")?,
        input_schema: Some(schema.unwrap_or_else(empty)),
        strict: None,
        defer_loading: None,
        extra: Extra::default(),
        cache_control: None,
    })
}

/// Writes the types of a schema as JSON Schema has them: Gemini's SDKs write
/// `OBJECT`.
fn in_lower_case(schema: &RawJson) -> RawJson {
    let Ok(mut json) = Json::parse(schema) else {
        return schema.clone();
    };
    lower_types(&mut json);
    let text = serde_json::to_string(&json).ok();
    let lowered = text.and_then(|text| RawJson::parse(&text).ok());
    lowered.unwrap_or_else(|| schema.clone())
}

fn lower_types(schema: &mut Json) {
    let Json::Object(members) = schema else {
        return;
    };
    for (key, value) in members {
        match (key.as_str(), &mut *value) {
            ("type", Json::Scalar(_)) => {
                if let Some(name) = value.as_string() {
                    *value = Json::string(&name.to_ascii_lowercase());
                }
            }
            ("properties", Json::Object(properties)) => {
                properties.iter_mut().for_each(|(_, it)| lower_types(it));
            }
            ("anyOf", Json::Array(choices)) => choices.iter_mut().for_each(lower_types),
            ("items", items) => lower_types(items),
            _ => {}
        }
    }
}

fn tool_choice(config: &mut Object) -> Result<Option<ToolChoice>, ImportError> {
    let mode = config.string("mode")?.unwrap_or_default();
    let names: Option<Vec<String>> = config.value("allowedFunctionNames", "strings")?;
    let (kind, name) = match (mode.as_str(), names.as_deref()) {
        ("NONE", _) => ("none", None),
        ("ANY", Some([only])) => ("tool", Some(only.clone())),
        ("ANY", _) => ("any", None),
        _ => ("auto", None),
    };
    Ok(Some(ToolChoice {
        kind: kind.to_owned(),
        name,
        disable_parallel_tool_use: None,
        extra: Extra::default(),
    }))
}

#[derive(Default)]
struct Reader {
    conversation: Conversation,
    /// Calls without an id, by name, in the order in which they wait.
    unnamed: HashMap<String, Vec<String>>,
    calls: usize,
}

impl Reader {
    fn of_model(
        &mut self,
        part: &mut Object,
        losses: &mut Vec<ConversionLoss>,
    ) -> Result<(), ImportError> {
        let text = part.string("text")?.unwrap_or_default();
        let is_thought = part.value("thought", "a boolean")? == Some(true);
        let signature = part
            .string("thoughtSignature")?
            .filter(|it| it != UNSIGNED)
            .map(|it| format!("{SEAL}{it}"));
        let call = part.object("functionCall")?;
        let conversation = &mut self.conversation;
        if is_thought {
            let block = thinking(&text, signature.unwrap_or_default());
            conversation.add(Role::Assistant, [block]);
            return Ok(());
        }
        match (signature, text.is_empty() && call.is_none()) {
            (Some(signature), true) => {
                conversation.add(Role::Assistant, [thinking("", signature)]);
            }
            (Some(signature), false) => conversation.add(Role::Assistant, [sealed(signature)]),
            (None, _) => {}
        }
        let text = (!text.is_empty()).then(|| ContentBlock::text(text));
        conversation.add(Role::Assistant, text);
        if let Some(mut call) = call {
            let name = call.required("name")?;
            let id = match call.string("id")? {
                Some(id) => id,
                None => {
                    let id = format!("call_{}", self.calls);
                    let waiting = self.unnamed.entry(name.clone()).or_default();
                    waiting.push(id.clone());
                    id
                }
            };
            self.calls += 1;
            let empty = || RawJson::parse("{}").expect("an empty object is JSON");
            let input = call.take("args").unwrap_or_else(empty);
            if !input.is_object() {
                return Err(ImportError::shape(call.path("args"), "an object"));
            }
            self.conversation.call(&id, &name, input);
        } else if let Some(blob) = part.object("inlineData")? {
            lose(&blob.path("data"), losses);
        }
        Ok(())
    }

    fn of_user(
        &mut self,
        part: &mut Object,
        losses: &mut Vec<ConversionLoss>,
    ) -> Result<(), ImportError> {
        if let Some(mut response) = part.object("functionResponse")? {
            let path = response.path("response");
            let name = response.string("name")?.unwrap_or_default();
            let id = match response.string("id")? {
                Some(id) => id,
                None => {
                    let waiting = self.unnamed.get_mut(&name).filter(|it| !it.is_empty());
                    waiting.map_or_else(String::new, |it| it.remove(0))
                }
            };
            let mut media = Vec::new();
            for mut part in response.objects("parts")? {
                media.extend(block(&mut part, losses)?);
            }
            let (text, is_error) = output_text(&mut response)?;
            let content = match media.is_empty() {
                true => ResultContent::Text(text.into()),
                false => {
                    let text = (!text.is_empty()).then(|| ContentBlock::text(text));
                    ResultContent::Blocks(text.into_iter().chain(media).collect())
                }
            };
            let result = |id: Arc<str>| ToolResult {
                content,
                is_error: is_error.then_some(true),
                ..ToolResult::new(Arc::clone(&id), Vec::new())
            };
            self.conversation.result(&id, result, &path, losses);
            return Ok(());
        }
        let block = block(part, losses)?;
        self.conversation.add(Role::User, block);
        Ok(())
    }
}

/// Returns the text of a response, and whether it is an error.
fn output_text(response: &mut Object) -> Result<(String, bool), ImportError> {
    let Some(raw) = response.take("response") else {
        return Ok((String::new(), false));
    };
    let mut object = Object::read(&raw, response.path("response"))?;
    for (key, is_error) in [("output", false), ("error", true)] {
        if let Some(value) = object.take(key) {
            let text = serde_json::from_str::<String>(value.get());
            return Ok((text.unwrap_or_else(|_| value.get().to_owned()), is_error));
        }
    }
    Ok((raw.get().to_owned(), false))
}

/// Reads a part of the user, or of a response.
fn block(
    part: &mut Object,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Option<ContentBlock>, ImportError> {
    if let Some(text) = part.string("text")? {
        return Ok(Some(ContentBlock::text(text)));
    }
    if let Some(mut blob) = part.object("inlineData")? {
        let media_type = blob.required("mimeType")?;
        let is_image = media_type.starts_with("image/");
        let data = blob.required("data")?.into();
        let source = MediaSource::Base64 { media_type, data };
        return Ok(Some(media(source, is_image, None)));
    }
    lose(&part.path("parts"), losses);
    Ok(None)
}
