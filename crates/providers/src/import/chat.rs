//! Chat Completions.

use aside_messages::wire::{ContentBlock, RawJson, Request, ResultContent, Role, ToolResult};

use super::ImportError;
use super::conversation::{Conversation, input, media, source, thinking};
use super::object::Object;
use super::parameters::{common, output_config, tool, tool_choice};
use super::unread::{lose, report};
use crate::loss::ConversionLoss;

/// Reads a request.
pub(super) fn request(
    body: &mut Object,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Request, ImportError> {
    let mut conversation = Conversation::default();
    for mut message in body.objects("messages")? {
        read(&mut message, &mut conversation, losses)?;
        report(message, losses);
    }
    let mut request = Request {
        system: conversation.system,
        messages: conversation.messages,
        ..Request::default()
    };
    for key in ["max_tokens", "max_completion_tokens"] {
        if let Some(limit) = body.value(key, "a number")? {
            request.max_tokens = limit;
        }
    }
    for mut item in body.objects("tools")? {
        let Some(mut function) = item.object("function")? else {
            lose(&item.path("type"), losses);
            continue;
        };
        request.tools.push(tool(&mut function, "parameters")?);
        report(function, losses);
    }
    request.stop_sequences = match body.take("stop") {
        Some(stop) if stop.get().starts_with('"') => {
            let text = serde_json::from_str(stop.get());
            vec![text.map_err(|_| ImportError::shape("stop", "a string"))?]
        }
        Some(stop) => {
            let texts = serde_json::from_str(stop.get());
            texts.map_err(|_| ImportError::shape("stop", "strings"))?
        }
        None => Vec::new(),
    };
    if let Some(choice) = body.take("tool_choice") {
        request.tool_choice = Some(tool_choice(&choice)?);
    }
    // The Messages API always sends the usage.
    body.take("stream_options");
    let effort = body.string("reasoning_effort")?;
    let verbosity = body.string("verbosity")?;
    let format = match body.object("response_format")? {
        Some(mut format) => match format.object("json_schema")? {
            Some(mut schema) => schema.take("schema"),
            None => None,
        },
        None => None,
    };
    common(body, &mut request)?;
    output_config(&mut request, effort, verbosity, format);
    Ok(request)
}

fn read(
    message: &mut Object,
    conversation: &mut Conversation,
    losses: &mut Vec<ConversionLoss>,
) -> Result<(), ImportError> {
    let path = message.path("content");
    let role = message.required("role")?;
    let content = blocks(message, losses)?;
    match role.as_str() {
        "system" | "developer" => conversation.add_system(content),
        "assistant" => {
            if let Some(thought) = message.string("reasoning_content")?
                && !thought.is_empty()
            {
                conversation.add(Role::Assistant, [thinking(&thought, String::new())]);
            }
            conversation.add(Role::Assistant, content);
            if let Some(refusal) = message.string("refusal")? {
                conversation.add(Role::Assistant, [ContentBlock::text(refusal)]);
            }
            for mut call in message.objects("tool_calls")? {
                let id = call.required("id")?;
                let path = call.path("function");
                let Some(mut function) = call.object("function")? else {
                    lose(&path, losses);
                    continue;
                };
                let name = function.required("name")?;
                let arguments = function.string("arguments")?.unwrap_or_default();
                let Some(input) = input(&arguments) else {
                    return Err(ImportError::shape(path, "arguments that are an object"));
                };
                conversation.call(&id, &name, input);
            }
        }
        "tool" => {
            let id = message.required("tool_call_id")?;
            let result = |id| ToolResult::new(id, Vec::new());
            let content = match <[_; 1]>::try_from(content) {
                Ok([ContentBlock::Text(text)]) => ResultContent::Text(text.text),
                Ok(content) => ResultContent::Blocks(content.into()),
                Err(content) => ResultContent::Blocks(content),
            };
            let result = |id| ToolResult {
                content,
                ..result(id)
            };
            conversation.result(&id, result, &path, losses);
        }
        _ => conversation.add(Role::User, content),
    }
    Ok(())
}

/// Reads the content of a message: a string, parts, or nothing.
fn blocks(
    message: &mut Object,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Vec<ContentBlock>, ImportError> {
    let mut blocks = Vec::new();
    let Some(raw) = message.take("content") else {
        return Ok(blocks);
    };
    let path = message.path("content");
    if raw.get().starts_with('"') {
        let text = serde_json::from_str::<String>(raw.get())
            .map_err(|_| ImportError::shape(&path, "a string"))?;
        if !text.is_empty() {
            blocks.push(ContentBlock::text(text));
        }
        return Ok(blocks);
    }
    let parts: Vec<RawJson> =
        serde_json::from_str(raw.get()).map_err(|_| ImportError::shape(&path, "parts"))?;
    for (index, part) in parts.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let mut part = Object::read(part, &path)?;
        match part.required("type")?.as_str() {
            "text" => blocks.push(ContentBlock::text(part.required("text")?)),
            "refusal" => blocks.push(ContentBlock::text(part.required("refusal")?)),
            "image_url" => {
                let url = match part.object("image_url")? {
                    Some(mut address) => address.required("url")?,
                    None => part.required("image_url")?,
                };
                blocks.push(media(source(&url), true, None));
            }
            "file" => {
                let mut file = part
                    .object("file")?
                    .ok_or_else(|| ImportError::shape(&path, "a file"))?;
                let title = file.string("filename")?;
                match file.string("file_data")? {
                    Some(data) => blocks.push(media(source(&data), false, title)),
                    None => lose(&path, losses),
                }
            }
            _ => lose(&path, losses),
        }
    }
    Ok(blocks)
}
