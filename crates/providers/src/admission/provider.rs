//! The rules for providers and models, beyond those for the Messages API.

use aside_messages::encode::BodyParts;
use aside_messages::wire::{ContentBlock, MediaSource, Message, Request, Role, Tool, is_paused};
use aside_models::{self as models, Acceptance, ModelFacts, Platform, Sampling, ToolSupport, Wire};
use aside_rules::table;

use super::at::At;
use super::findings::Findings;
use super::message::all_blocks;
use super::target::Target;
use crate::capabilities::DataSources;
use crate::loss::Reason;
use crate::stand_in::is_api_id;

/// Returns true when the provider will continue this response: it ends with a server tool's block,
/// or such a call has no result.
fn was_paused(message: &Message) -> bool {
    let blocks = message.content.iter().map(ContentBlock::as_other);
    message.role == Role::Assistant && is_paused(blocks)
}

/// Returns true if the message ends with a summary of the conversation, which begins no answer.
fn ends_in_summary(message: &Message) -> bool {
    let last = message.content.last();
    let is_summary = |data: &str| Reason::of_thinking(data) == Reason::Summary;
    matches!(last, Some(ContentBlock::RedactedThinking(it)) if is_summary(&it.data))
}

impl Findings<'_> {
    pub(super) fn prefix_of_provider(&mut self, parts: &BodyParts<'_>) {
        let Target { spec, model, .. } = self.target;
        // Check the name to send, which can differ from the request's.
        if model.trim().is_empty() {
            self.add_of_provider(&table::MODEL_NAME, "model", format!("{model:?}"));
        }
        if let Some(found) = not_served(self.target) {
            self.add_of_provider(&table::MODEL_ENDPOINT, "model", found);
        }
        let facts = spec.facts(model);
        let tools = parts.tools.as_tools();
        self.parameters(parts.parameters, tools, facts);
        self.tools_on_chat(tools, facts);
    }

    /// Checks the last message's role.
    ///
    /// | wire | first message | last message |
    /// |---|---|---|
    /// | Messages API | rules of its own | rules of its own |
    /// | Responses | any | of the user or the system |
    /// | Chat Completions | any | any |
    /// | Gemini | of the user | of the user |
    ///
    /// A paused response, or a summary, may be the last message on every wire.
    pub(super) fn last_of_provider(&mut self, index: usize, message: &Message) {
        let takes_system = match self.wire() {
            Wire::Messages | Wire::ChatCompletions => return,
            Wire::GenerateContent => false,
            _ => true,
        };
        let is_ended = was_paused(message)
            || ends_in_summary(message)
            || message.role == Role::User
            || (takes_system && message.role == Role::System);
        if !is_ended {
            let found = format!("{:?}", message.role.as_str());
            self.add_of_provider(&table::PREFILL, format!("messages[{index}].role"), found);
        }
    }

    /// Checks the longest answer, which has at least a token on other wires, thinking, sampling, how many stop sequences there are, and a
    /// forced tool that is not in the list. When nothing is known about the model, only the last
    /// two apply.
    fn parameters(&mut self, request: &Request, tools: &[Tool], facts: Option<&ModelFacts>) {
        let most = facts.and_then(|facts| facts.max_output);
        let found = match (request.max_tokens, most) {
            (Some(0), _) if self.wire() != Wire::Messages => {
                Some("0, which only warms the cache of the Messages API".to_owned())
            }
            (Some(limit), Some(most)) if limit > most => Some(format!("{limit}, at most {most}")),
            _ => None,
        };
        if let Some(found) = found {
            self.add_of_provider(&table::MAX_TOKENS, "max_tokens", found);
        }
        if let Some(facts) = facts {
            self.thinking(request, facts);
            self.sampling(request, facts);
        }
        let stops = match self.wire() {
            Wire::ChatCompletions => 4,
            Wire::GenerateContent => 5,
            // Responses has no stop sequences, which is reported as a loss.
            _ => usize::MAX,
        };
        let count = request.stop_sequences.len();
        if count > stops {
            let found = format!("{count}, at most {stops}");
            self.add_of_provider(&table::STOP_LIMIT, "stop_sequences", found);
        }
        if let Some(choice) = &request.tool_choice
            && choice.kind == "tool"
        {
            let name = choice.name.as_deref().unwrap_or_default();
            if !tools.iter().any(|tool| tool.name == name) {
                let found = format!("{name:?}");
                self.add_of_provider(&table::TOOL_CHOICE, "tool_choice.name", found);
            }
        }
    }

    /// Reports tools for a model that takes them only on Responses: it either never takes them on
    /// Chat Completions, or needs reasoning turned off there and cannot do this.
    fn tools_on_chat(&mut self, tools: &[Tool], facts: Option<&ModelFacts>) {
        let (Wire::ChatCompletions, Some(facts)) = (self.wire(), facts) else {
            return;
        };
        let chat = facts.wires.iter().find(|it| it.wire == Wire::ChatCompletions);
        let is_refused = chat.is_some_and(|it| match it.tools {
            ToolSupport::Refused => true,
            ToolSupport::WithoutReasoning => facts.effort_none == Some(false),
            _ => false,
        });
        if is_refused && !tools.is_empty() {
            let older =
                models::counterpart(facts.vendor, models::Tier::Opus, Wire::ChatCompletions);
            let older = older.map_or("an older model", |it| it.id);
            let found = format!(
                "{} takes tools on Responses only: use the provider's own server, or {older}",
                facts.id
            );
            self.add_of_provider(&table::TOOLS_ON_CHAT, "tools", found);
        }
    }

    /// Reports a thinking type that the model refuses, and which ones it accepts.
    fn thinking(&mut self, request: &Request, facts: &ModelFacts) {
        if let (Some(thinking), Some(modes)) = (&request.thinking, facts.thinking)
            && modes.mode(&thinking.kind) == Some(Acceptance::Refused)
        {
            let accepted: Vec<_> = modes.accepted().collect();
            let found = format!("{:?}, {} takes {}", thinking.kind, facts.id, accepted.join(", "));
            self.add_of_provider(&table::THINKING_MODE, "thinking.type", found);
        }
    }

    /// Reports `temperature`, `top_p` and `top_k` when the model refuses sampling parameters.
    fn sampling(&mut self, request: &Request, facts: &ModelFacts) {
        if facts.sampling != Some(Sampling::Refused) {
            return;
        }
        if let Some(temperature) = &request.temperature {
            let found = temperature.to_string();
            self.add_of_provider(&table::SAMPLING_MODEL, "temperature", found);
        }
        for (key, value) in &request.extra.0 {
            if matches!(key.as_str(), "top_p" | "top_k") {
                self.add_of_provider(&table::SAMPLING_MODEL, key, value.get());
            }
        }
    }

    /// Reports an unknown role, a system message in the conversation when the provider accepts
    /// none, a first message on Gemini that is not from the user, and media that the provider
    /// cannot get. Blocks inside results are checked like others.
    pub(super) fn message_of_provider(&mut self, index: usize, message: &Message) {
        let path = || format!("messages[{index}].role");
        let role = message.role.as_str();
        if let Role::Other(role) = &message.role {
            self.add_of_provider(&table::VALUE, path(), format!("{role:?}"));
        }
        if index == 0 && self.wire() == Wire::GenerateContent && message.role != Role::User {
            self.add_of_provider(&table::FIRST_TURN, path(), format!("{role:?}"));
        }
        if message.role == Role::System && !self.capabilities.mid_conversation_system {
            self.add_of_provider(&table::SYSTEM_MODEL, path(), format!("{role:?}"));
        }
        for (at, block) in all_blocks(index, message) {
            self.media(block, &at);
        }
    }

    /// Checks where an image or a document comes from. Other blocks are always accepted.
    ///
    /// - To send a document that is not plain text, you need a provider that accepts documents
    ///   (rule `document`).
    /// - To send media by URL or file id, you need a provider that can get it (rule `base64-only`).
    fn media(&mut self, block: &ContentBlock, at: &At) {
        let (source, sources) = match block {
            ContentBlock::Image(image) => (&image.source, self.capabilities.image_sources),
            ContentBlock::Document(document) => {
                (&document.source, self.capabilities.document_sources)
            }
            _ => return,
        };
        let is_document = matches!(block, ContentBlock::Document(_));
        if is_document && !source.is_text() && !self.capabilities.documents {
            let found = "a document that is not plain text";
            return self.add_of_provider(&table::DOCUMENT, at.to_string(), found);
        }
        let DataSources { url, file } = sources;
        let found = match source {
            MediaSource::Url { url: address } if !url => format!("{address:?}"),
            MediaSource::File { file_id } if !file => format!("{file_id:?}"),
            // A source type that only Anthropic may know.
            MediaSource::Other(raw) if !file => raw.get().chars().take(80).collect(),
            _ => return,
        };
        self.add_of_provider(&table::BASE64_ONLY, format!("{at}.source"), found);
    }
}

/// Returns the finding's value when Bedrock has this model, but its Messages endpoint is not known
/// to have it; `None` for any other model.
fn not_served(target: Target<'_>) -> Option<String> {
    let Target { spec, model, .. } = target;
    let ids = spec.facts(model)?.cloud_ids;
    let is_elsewhere = spec.platform == Platform::BedrockMessages
        && is_api_id(model)
        && ids.bedrock_messages.is_none()
        && ids.bedrock_invoke.is_some();
    is_elsewhere.then(|| {
        format!("{model:?}, which is known on Bedrock's InvokeModel only (provider bedrock)")
    })
}
