//! Responses.

mod allowed_tools;
mod parts;

use std::sync::Arc;

use aside_messages::wire::{
    ContentBlock, Message, RawJson, Request, ResultContent, Role, Tool, ToolChange, ToolResult,
};
use aside_models::find;

use self::allowed_tools::{allowed, restrict};

use super::ImportError;
use super::conversation::{Conversation, input, sealed, thinking};
use super::object::Object;
use super::parameters::{common, output_config, thinking_config, tool, tool_choice};
use super::unread::{lose, report};
use crate::loss::ConversionLoss;
use crate::provider::Provider;
use crate::provider_spec::{ProviderSpec, WireDialect};
use crate::responses::{Reasoning, seal, seal_phase};

/// Returns the seal of the reasoning of the provider that has the model; a
/// history without a model counts as OpenAI's.
fn seal_of(model: &str) -> &'static str {
    let vendor = find(model).facts.vendor;
    let specs = Provider::ALL.map(Provider::spec);
    let seal = |spec: &&'static ProviderSpec| {
        spec.wires.iter().find_map(|it| match it.wire {
            WireDialect::Responses(dialect) => Some(dialect.seal),
            _ => None,
        })
    };
    let mut of_vendor = specs.iter().filter(|spec| spec.vendor == vendor);
    let found = of_vendor
        .find_map(seal)
        .or_else(|| specs.iter().find_map(seal));
    found.expect("a provider speaks Responses")
}

/// The changes of a body beyond the conversation.
struct Reader {
    conversation: Conversation,
    seal: &'static str,
    /// Tools that items add.
    added: Vec<Tool>,
}

/// Reads a request.
pub(super) fn request(
    body: &mut Object,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Request, ImportError> {
    let model = body.string("model")?.unwrap_or_default();
    let mut reader = Reader {
        conversation: Conversation::default(),
        seal: seal_of(&model),
        added: Vec::new(),
    };
    if let Some(text) = body.string("instructions")? {
        reader
            .conversation
            .add_system(vec![ContentBlock::text(text)]);
    }
    match body.take("input") {
        Some(text) if text.get().starts_with('"') => {
            let text: String = serde_json::from_str(text.get())
                .map_err(|_| ImportError::shape("input", "a string"))?;
            let text = ContentBlock::text(text);
            reader.conversation.add(Role::User, [text]);
        }
        Some(items) => {
            let items: Vec<RawJson> = serde_json::from_str(items.get())
                .map_err(|_| ImportError::shape("input", "items"))?;
            for (index, item) in items.iter().enumerate() {
                let mut item = Object::read(item, format_args!("input[{index}]"))?;
                reader.read(&mut item, losses)?;
                report(item, losses);
            }
        }
        None => {}
    }
    let mut request = Request {
        system: reader.conversation.system,
        messages: reader.conversation.messages,
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
    for tool in reader.added {
        if request.tools.iter().all(|it| it.name != tool.name) {
            request.tools.push(tool);
        }
    }
    if let Some(choice) = body.take("tool_choice") {
        match allowed(&choice)? {
            Some(allowed) => restrict(&mut request, &allowed, losses),
            None => request.tool_choice = Some(tool_choice(&choice)?),
        }
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
    // Keys about the server's storage have no counterpart, and their absence is
    // no loss.
    for key in ["store", "include"] {
        body.take(key);
    }
    common(body, &mut request)?;
    request.model = model;
    output_config(&mut request, effort, verbosity, format);
    Ok(request)
}

impl Reader {
    fn read(
        &mut self,
        item: &mut Object,
        losses: &mut Vec<ConversionLoss>,
    ) -> Result<(), ImportError> {
        let kind = item.string("type")?.unwrap_or_else(|| "message".to_owned());
        match kind.as_str() {
            "message" => self.message(item, losses),
            "function_call" => {
                let (id, name) = (item.required("call_id")?, item.required("name")?);
                let arguments = item.required("arguments")?;
                let not_object = || ImportError::shape(item.path("arguments"), "an object as text");
                let input = input(&arguments).ok_or_else(not_object)?;
                self.conversation.call(&id, &name, input);
                Ok(())
            }
            "function_call_output" => {
                let id = item.required("call_id")?;
                let path = item.path("output");
                let content = match item.take("output") {
                    Some(text) if text.get().starts_with('"') => {
                        let text = serde_json::from_str::<String>(text.get())
                            .map_err(|_| ImportError::shape(&path, "a string"))?;
                        ResultContent::Text(text.into())
                    }
                    Some(parts) => ResultContent::Blocks(parts::parts(&parts, &path, losses)?),
                    None => ResultContent::default(),
                };
                let result = |id: Arc<str>| ToolResult {
                    content,
                    ..ToolResult::new(Arc::clone(&id), Vec::new())
                };
                self.conversation.result(&id, result, &path, losses);
                Ok(())
            }
            "reasoning" => self.reasoning(item, losses),
            "configuration_update" => {
                let effort = match item.object("reasoning")? {
                    Some(mut reasoning) => reasoning.string("effort")?,
                    None => None,
                };
                let mut carrier = Request::default();
                output_config(&mut carrier, effort, None, None);
                let mut message = Message::new(Role::System, Vec::new());
                message.output_config = carrier.output_config;
                if message.output_config.is_some() {
                    self.conversation.messages.push(message);
                }
                Ok(())
            }
            "additional_tools" => self.additional_tools(item, losses),
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
        &mut self,
        item: &mut Object,
        losses: &mut Vec<ConversionLoss>,
    ) -> Result<(), ImportError> {
        let role = item.required("role")?;
        let path = item.path("content");
        let content = match item.take("content") {
            Some(text) if text.get().starts_with('"') => {
                let text = serde_json::from_str::<String>(text.get())
                    .map_err(|_| ImportError::shape(&path, "a string"))?;
                vec![ContentBlock::text(text)]
            }
            Some(parts) => parts::parts(&parts, &path, losses)?,
            None => Vec::new(),
        };
        match role.as_str() {
            "system" | "developer" => self.conversation.add_system(content),
            "assistant" => {
                let phase = item
                    .string("phase")?
                    .and_then(|phase| seal_phase(self.seal, &phase));
                self.conversation.add(Role::Assistant, phase.map(sealed));
                self.conversation.add(Role::Assistant, content);
            }
            _ => self.conversation.add(Role::User, content),
        }
        Ok(())
    }

    fn reasoning(
        &mut self,
        item: &mut Object,
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
                seal(self.seal, &item)
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
        self.conversation.add(Role::Assistant, block);
        Ok(())
    }

    /// Reads tools that are added in the conversation: deferred tools of the
    /// request, and their addition.
    fn additional_tools(
        &mut self,
        item: &mut Object,
        losses: &mut Vec<ConversionLoss>,
    ) -> Result<(), ImportError> {
        let mut blocks = Vec::new();
        for mut function in item.objects("tools")? {
            if function.required("type")? != "function" {
                lose(&function.path("type"), losses);
                continue;
            }
            let mut tool = tool(&mut function, "parameters")?;
            report(function, losses);
            // Before the first message, nothing is added later.
            if !self.conversation.messages.is_empty() {
                tool.defer_loading = Some(true);
                blocks.push(ToolChange::Added(tool.name.as_str().into()).into());
            }
            self.added.push(tool);
        }
        self.conversation.add(Role::System, blocks);
        Ok(())
    }
}
