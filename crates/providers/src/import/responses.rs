//! Responses.

use std::sync::Arc;

use aside_messages::wire::{
    ContentBlock, MediaSource, RawJson, Request, ResultContent, Role, ToolResult,
};

use super::ImportError;
use super::conversation::{Conversation, input, media, sealed, source, thinking};
use super::object::Object;
use super::parameters::{common, output_config, thinking_config, tool, tool_choice};
use super::unread::{lose, report};
use crate::loss::ConversionLoss;
use crate::responses::{Reasoning, seal, seal_phase};

/// What reasoning of a body is sealed with: a body does not say who wrote it.
const SEAL: &str = "openai-responses:";

/// Reads a request.
pub(super) fn request(
    body: &mut Object,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Request, ImportError> {
    let mut conversation = Conversation::default();
    if let Some(text) = body.string("instructions")? {
        conversation.add_system(vec![ContentBlock::text(text)]);
    }
    match body.take("input") {
        Some(text) if text.get().starts_with('"') => {
            let text: String = serde_json::from_str(text.get())
                .map_err(|_| ImportError::shape("input", "a string"))?;
            conversation.add(Role::User, [ContentBlock::text(text)]);
        }
        Some(items) => {
            let items: Vec<RawJson> = serde_json::from_str(items.get())
                .map_err(|_| ImportError::shape("input", "items"))?;
            for (index, item) in items.iter().enumerate() {
                let mut item = Object::read(item, format_args!("input[{index}]"))?;
                read(&mut item, &mut conversation, losses)?;
                report(item, losses);
            }
        }
        None => {}
    }
    let mut request = Request {
        system: conversation.system,
        messages: conversation.messages,
        max_tokens: body.value("max_output_tokens", "a number")?.unwrap_or(0),
        ..Request::default()
    };
    for mut function in body.objects("tools")? {
        let kind = function.required("type")?;
        if kind != "function" {
            lose(&function.path("type"), losses);
            continue;
        }
        request.tools.push(tool(&mut function, "parameters")?);
        report(function, losses);
    }
    if let Some(choice) = body.take("tool_choice") {
        request.tool_choice = Some(tool_choice(&choice)?);
    }
    let (mut effort, mut verbosity, mut format) = (None, None, None);
    if let Some(mut reasoning) = body.object("reasoning")? {
        effort = reasoning.string("effort")?;
        if reasoning.string("summary")?.is_some() {
            request.thinking = Some(thinking_config("adaptive"));
        }
        report(reasoning, losses);
    }
    if let Some(mut text) = body.object("text")? {
        verbosity = text.string("verbosity")?;
        if let Some(mut it) = text.object("format")? {
            format = it.take("schema");
        }
    }
    // What a stateless request says of the server has no counterpart, and
    // nothing is lost with it.
    for key in ["store", "include"] {
        body.take(key);
    }
    common(body, &mut request)?;
    output_config(&mut request, effort, verbosity, format);
    Ok(request)
}

fn read(
    item: &mut Object,
    conversation: &mut Conversation,
    losses: &mut Vec<ConversionLoss>,
) -> Result<(), ImportError> {
    let kind = item.string("type")?.unwrap_or_else(|| "message".to_owned());
    match kind.as_str() {
        "message" => message(item, conversation, losses),
        "function_call" => {
            let (id, name) = (item.required("call_id")?, item.required("name")?);
            let arguments = item.required("arguments")?;
            let not_object = || ImportError::shape(item.path("arguments"), "an object as text");
            let input = input(&arguments).ok_or_else(not_object)?;
            conversation.call(&id, &name, input);
            Ok(())
        }
        "function_call_output" => {
            let id = item.required("call_id")?;
            let path = item.path("output");
            let content = match item.take("output") {
                Some(text) if text.get().starts_with('"') => {
                    let text = serde_json::from_str::<String>(text.get());
                    let text = text.map_err(|_| ImportError::shape(&path, "a string"))?;
                    ResultContent::Text(text.into())
                }
                Some(parts) => ResultContent::Blocks(self::parts(&parts, &path, losses)?),
                None => ResultContent::default(),
            };
            let result = |id: Arc<str>| ToolResult {
                content,
                ..ToolResult::new(Arc::clone(&id), Vec::new())
            };
            conversation.result(&id, result, &path, losses);
            Ok(())
        }
        "reasoning" => reasoning(item, conversation, losses),
        "configuration_update" => {
            let effort = match item.object("reasoning")? {
                Some(mut reasoning) => reasoning.string("effort")?,
                None => None,
            };
            let mut carrier = Request::default();
            output_config(&mut carrier, effort, None, None);
            let mut message = aside_messages::wire::Message::new(Role::System, Vec::new());
            message.output_config = carrier.output_config;
            if message.output_config.is_some() {
                conversation.messages.push(message);
            }
            Ok(())
        }
        _ => {
            lose(&item.path("type"), losses);
            for key in ["summary", "content", "tools", "action", "encrypted_content"] {
                item.take(key);
            }
            Ok(())
        }
    }
}

fn message(
    item: &mut Object,
    conversation: &mut Conversation,
    losses: &mut Vec<ConversionLoss>,
) -> Result<(), ImportError> {
    let role = item.required("role")?;
    let path = item.path("content");
    let content = match item.take("content") {
        Some(text) if text.get().starts_with('"') => {
            let text = serde_json::from_str::<String>(text.get());
            let text = text.map_err(|_| ImportError::shape(&path, "a string"))?;
            vec![ContentBlock::text(text)]
        }
        Some(parts) => self::parts(&parts, &path, losses)?,
        None => Vec::new(),
    };
    match role.as_str() {
        "system" | "developer" => conversation.add_system(content),
        "assistant" => {
            let phase = item.string("phase")?;
            let phase = phase.and_then(|phase| seal_phase(SEAL, &phase));
            conversation.add(Role::Assistant, phase.map(sealed));
            conversation.add(Role::Assistant, content);
        }
        _ => conversation.add(Role::User, content),
    }
    Ok(())
}

fn reasoning(
    item: &mut Object,
    conversation: &mut Conversation,
    losses: &mut Vec<ConversionLoss>,
) -> Result<(), ImportError> {
    let path = item.path("encrypted_content");
    let id = item.string("id")?;
    let mut texts = |key: &str| -> Result<Vec<String>, ImportError> {
        let parts = item.objects(key)?.into_iter();
        parts.map(|mut part| part.required("text")).collect()
    };
    let (summary, content) = (texts("summary")?, texts("content")?);
    let encrypted = item.string("encrypted_content")?;
    let shown = if summary.is_empty() {
        &content
    } else {
        &summary
    };
    let text = shown.join("\n\n");
    let signature = match &encrypted {
        Some(encrypted) => {
            let item = Reasoning::new(
                id.as_deref(),
                summary.iter().map(String::as_str),
                content.iter().map(String::as_str),
                Some(encrypted),
            );
            seal(SEAL, &item)
        }
        None => {
            let what = "the reasoning cannot return to the server without this";
            losses.push(ConversionLoss::new(path, what));
            String::new()
        }
    };
    let block = match (text.is_empty(), signature.is_empty()) {
        (true, true) => None,
        (true, false) => Some(sealed(signature)),
        (false, _) => Some(thinking(&text, signature)),
    };
    conversation.add(Role::Assistant, block);
    Ok(())
}

/// Reads content parts.
fn parts(
    parts: &RawJson,
    path: &str,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Vec<ContentBlock>, ImportError> {
    let parts: Vec<RawJson> =
        serde_json::from_str(parts.get()).map_err(|_| ImportError::shape(path, "parts"))?;
    let mut blocks = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let mut part = Object::read(part, &path)?;
        let kind = part.required("type")?;
        match kind.as_str() {
            "input_text" | "output_text" | "text" => {
                blocks.push(ContentBlock::text(part.required("text")?));
            }
            "refusal" => blocks.push(ContentBlock::text(part.required("refusal")?)),
            "input_image" => match part.string("image_url")? {
                Some(url) => blocks.push(media(source(&url), true, None)),
                None => lose(&path, losses),
            },
            "input_file" => {
                let title = part.string("filename")?;
                let data = part.string("file_data")?.map(|data| source(&data));
                let url = part.string("file_url")?.map(|url| MediaSource::Url { url });
                match data.or(url) {
                    Some(source) => blocks.push(media(source, false, title)),
                    None => lose(&path, losses),
                }
            }
            _ => lose(&path, losses),
        }
        if part.take("prompt_cache_breakpoint").is_some()
            && let Some(block) = blocks.last_mut()
        {
            block.mark(aside_messages::wire::CacheControl::EPHEMERAL);
        }
    }
    Ok(blocks)
}
