//! Detection of findings of the rules of providers and models beyond those of
//! the Messages API.

use aside_messages::wire::{
    ContentBlock, MediaSource, Message, Request, ResultContent, Role, is_paused,
};
use aside_models::{self as models, Acceptance, ModelFacts, Sampling, ToolSupport, Wire};
use aside_rules::{Finding, Rule, table};

use super::finding;
use crate::capabilities::{Capabilities, DataSources};
use crate::provider_spec::WireDialect;
use crate::target::Target;

/// Returns true for a response that the provider continues: it ends with a block of a
/// tool that the provider runs, or such a call has no result.
fn was_paused(message: &Message) -> bool {
    let blocks = message.content.iter().map(|block| match block {
        ContentBlock::Other(other) => Some(other),
        _ => None,
    });
    message.role == Role::Assistant && is_paused(blocks)
}

/// Collects the findings of one request.
pub(super) struct Finder<'a> {
    /// The findings so far, in the order in which they are reported.
    pub(super) found: Vec<Finding>,
    /// The target.
    pub(super) target: Target<'a>,
    /// The capabilities of the provider on the wire.
    pub(super) capabilities: Capabilities,
}

impl Finder<'_> {
    /// Adds a finding. `path` is the position in the request, and `found` the value there.
    pub(super) fn add(&mut self, rule: &'static Rule, path: String, found: String) {
        let mut finding = finding(rule, path, found, self.target);
        // The value says what the target takes.
        finding.expected.clear();
        self.found.push(finding);
    }

    /// Checks the roles, and the turns with which a conversation begins and ends.
    ///
    /// | wire | first message | last message |
    /// |---|---|---|
    /// | Messages API | rules of its own | rules of its own |
    /// | Responses, Chat Completions | any | of the user or the system |
    /// | Gemini | of the user | of the user |
    ///
    /// A paused response may be the last message on every wire.
    pub(super) fn roles(&mut self, messages: &[&Message], wire: &WireDialect) {
        for (index, message) in messages.iter().enumerate() {
            if let Role::Other(role) = &message.role {
                let path = format!("messages[{index}].role");
                self.add(&table::VALUE, path, format!("{role:?}"));
            }
        }
        if matches!(wire, WireDialect::Messages(_)) {
            return;
        }
        let is_openai = matches!(
            wire,
            WireDialect::Responses(_) | WireDialect::ChatCompletions(_)
        );
        let mut end = |rule, index: usize| {
            let Some(message) = messages.get(index) else {
                return;
            };
            if message.role != Role::User {
                let found = format!("{:?}", message.role.as_str());
                self.add(rule, format!("messages[{index}].role"), found);
            }
        };
        // On OpenAI's wires a conversation may begin with a turn of the model.
        if !is_openai {
            end(&table::FIRST_TURN, 0);
        }
        let last = messages.last();
        let is_ended =
            last.is_some_and(|last| was_paused(last) || (is_openai && last.role == Role::System));
        if !is_ended {
            end(&table::PREFILL, messages.len().saturating_sub(1));
        }
    }

    /// Checks the parameters: the longest answer, thinking, sampling, the number of stop
    /// sequences, and a forced tool that is not one of the tools. Without facts about the
    /// model only the last two apply.
    pub(super) fn parameters(
        &mut self,
        request: &Request,
        wire: &WireDialect,
        facts: Option<&ModelFacts>,
    ) {
        if let Some(limit) = facts.and_then(|facts| facts.max_output)
            && request.max_tokens > limit
        {
            let found = format!("{}, at most {limit}", request.max_tokens);
            self.add(&table::MAX_TOKENS, "max_tokens".into(), found);
        }
        if let Some(facts) = facts {
            self.thinking(request, facts);
            self.sampling(request, facts);
        }
        let stops = match wire {
            WireDialect::ChatCompletions(_) => 4,
            WireDialect::GenerateContent => 5,
            // Responses has no stop sequences, which is reported as a loss.
            WireDialect::Messages(_) | WireDialect::Responses(_) => usize::MAX,
        };
        let count = request.stop_sequences.len();
        if count > stops {
            self.add(
                &table::STOP_LIMIT,
                "stop_sequences".into(),
                format!("{count}, at most {stops}"),
            );
        }
        if let Some(choice) = &request.tool_choice
            && choice.kind == "tool"
        {
            let name = choice.name.as_deref().unwrap_or_default();
            if !request.tools.iter().any(|tool| tool.name == name) {
                self.add(
                    &table::TOOL_CHOICE,
                    "tool_choice.name".into(),
                    format!("{name:?}"),
                );
            }
        }
    }

    /// Reports tools for a model that accepts them on Responses only: never on Chat
    /// Completions, or only without reasoning when the model cannot turn it off.
    pub(super) fn tools_on_chat(
        &mut self,
        request: &Request,
        wire: &WireDialect,
        facts: Option<&ModelFacts>,
    ) {
        let (WireDialect::ChatCompletions(_), Some(facts)) = (wire, facts) else {
            return;
        };
        let chat = facts
            .wires
            .iter()
            .find(|it| it.wire == Wire::ChatCompletions);
        let is_refused = chat.is_some_and(|it| match it.tools {
            ToolSupport::Refused => true,
            ToolSupport::WithoutReasoning => facts.effort_none == Some(false),
            _ => false,
        });
        if is_refused && !request.tools.is_empty() {
            let older =
                models::counterpart(facts.vendor, models::Tier::Opus, Wire::ChatCompletions);
            let older = older.map_or("an older model", |it| it.id);
            let found = format!(
                "{} takes tools on Responses only: use the provider's own server, or {older}",
                facts.id
            );
            self.add(&table::TOOLS_ON_CHAT, "tools".into(), found);
        }
    }

    /// Reports a type of thinking that the model refuses, with the types that it accepts.
    fn thinking(&mut self, request: &Request, facts: &ModelFacts) {
        let Some(thinking) = &request.thinking else {
            return;
        };
        if let Some(modes) = facts.thinking
            && modes.mode(&thinking.kind) == Some(Acceptance::Refused)
        {
            let accepted: Vec<_> = modes.accepted().collect();
            let found = format!(
                "{:?}, {} takes {}",
                thinking.kind,
                facts.id,
                accepted.join(", ")
            );
            self.add(&table::THINKING_MODE, "thinking.type".into(), found);
        }
    }

    /// Reports `temperature`, `top_p` and `top_k` for a model that refuses sampling
    /// parameters.
    fn sampling(&mut self, request: &Request, facts: &ModelFacts) {
        if facts.sampling != Some(Sampling::Refused) {
            return;
        }
        if let Some(temperature) = &request.temperature {
            self.add(
                &table::SAMPLING_MODEL,
                "temperature".into(),
                temperature.to_string(),
            );
        }
        for (key, value) in &request.extra.0 {
            if matches!(key.as_str(), "top_p" | "top_k") {
                self.add(&table::SAMPLING_MODEL, key.clone(), value.get().to_owned());
            }
        }
    }

    /// Reports system messages in the conversation where the provider accepts none, and
    /// media that it cannot get. Blocks inside results are checked like others.
    pub(super) fn messages(&mut self, messages: &[&Message]) {
        for (message, it) in messages.iter().enumerate() {
            if it.role == Role::System && !self.capabilities.mid_conversation_system {
                self.add(
                    &table::SYSTEM_MODEL,
                    format!("messages[{message}].role"),
                    "\"system\"".into(),
                );
            }
            for (index, block) in it.content.iter().enumerate() {
                let path = || format!("messages[{message}].content[{index}]");
                self.media(block, path);
                if let ContentBlock::ToolResult(result) = block
                    && let ResultContent::Blocks(blocks) = &result.content
                {
                    for (inner, block) in blocks.iter().enumerate() {
                        self.media(block, || format!("{}.content[{inner}]", path()));
                    }
                }
            }
        }
    }

    /// Checks the source of an image or a document. Other blocks are always accepted.
    ///
    /// - A document that is not plain text needs a provider that accepts documents (rule
    ///   `document`).
    /// - Data by an address, or by the id of a file, needs a provider that can get it
    ///   (rule `base64-only`).
    ///
    /// `path` is called only for a finding.
    fn media(&mut self, block: &ContentBlock, path: impl Fn() -> String) {
        let (source, sources) = match block {
            ContentBlock::Image(image) => (&image.source, self.capabilities.image_sources),
            ContentBlock::Document(document) => {
                (&document.source, self.capabilities.document_sources)
            }
            _ => return,
        };
        let is_document = matches!(block, ContentBlock::Document(_));
        let is_text = matches!(
            source,
            MediaSource::Text { .. } | MediaSource::Content { .. }
        );
        if is_document && !is_text && !self.capabilities.documents {
            return self.add(
                &table::DOCUMENT,
                path(),
                "a document that is not plain text".into(),
            );
        }
        let DataSources { url, file } = sources;
        let found = match source {
            MediaSource::Url { url: address } if !url => format!("{address:?}"),
            MediaSource::File { file_id } if !file => format!("{file_id:?}"),
            // A source of a type that only Anthropic may know.
            MediaSource::Other(raw) if !file => raw.get().chars().take(80).collect(),
            _ => return,
        };
        self.add(&table::BASE64_ONLY, format!("{}.source", path()), found);
    }
}
