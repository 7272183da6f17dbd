use aside_messages::wire::{ContentBlock, MediaSource, Request, ResultContent, Role};
use aside_messages::{Rules, Violation};
use aside_models::{Acceptance, ModelFacts, Sampling};

use crate::capabilities::{Capabilities, Sources};
use crate::checked::Target;
use crate::provider::Family;

/// A rule of a provider or a model, beside those of the Messages API
/// ([`aside_messages::RULES`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderRule {
    /// Its name, in kebab case.
    pub name: &'static str,
    /// What must not be, as a sentence.
    pub summary: &'static str,
}

/// Every rule that [`convert`](crate::convert) holds a request to, beside
/// those of the Messages API.
pub const PROVIDER_RULES: &[ProviderRule] = &[
    rule(
        "base64-only",
        "The data of an image or a document is where the provider can get it.",
    ),
    rule(
        "document",
        "There are no documents but plain text where the provider takes no others.",
    ),
    rule(
        "largest-answer",
        "The longest answer is one that the model can give.",
    ),
    rule(
        "thinking-kind",
        "The model can think in the way that is asked for.",
    ),
    rule(
        "sampling",
        "There are no sampling parameters where the model takes none.",
    ),
    rule(
        "system-message",
        "The provider takes a system message in the conversation.",
    ),
    rule(
        "stop-limit",
        "There are at most four stop sequences for OpenAI and five for Gemini.",
    ),
    rule(
        "forced-tool",
        "The tool that is forced is one of the tools.",
    ),
    rule(
        "schema",
        "The schema of a tool is JSON of a size that can be rewritten.",
    ),
    rule(
        "doubled-short-name",
        "No two names are the same after they were shortened.",
    ),
];

const fn rule(name: &'static str, summary: &'static str) -> ProviderRule {
    ProviderRule { name, summary }
}

/// The rules of the Messages API that every wire has, because without them a
/// conversation has no meaning.
const EVERYWHERE: &[&str] = &[
    "no-message",
    "first-role",
    "last-role",
    "role",
    "empty-content",
    "result-order",
    "unanswered-call",
    "orphaned-result",
    "doubled-result",
    "doubled-call",
    "doubled-tool",
    "tool-choice",
    "media-limit",
];

/// A rule of the Messages API that holds for the model which the provider is
/// asked for.
const MODEL_NAME: &str = "model-name";

/// The rules of the Messages API for a provider and a model.
pub(crate) fn rules(target: Target<'_>) -> Rules {
    let family = target.spec.family;
    let facts = target.spec.facts(target.model);
    let media_limit = facts.and_then(|facts| facts.max_images);
    Rules {
        version: target.options.api_version,
        media_limit: media_limit.map_or(
            match family {
                // The limit of models with a window of more than 200,000 tokens.
                Family::Anthropic => 600,
                Family::OpenAi | Family::Gemini => usize::MAX,
            },
            |limit| limit as usize,
        ),
        global_scope: target.capabilities().global_scope,
    }
}

/// Returns what the provider and the model would refuse of the request.
pub(crate) fn violations(request: &Request, target: Target<'_>) -> Vec<Violation> {
    let Target { spec, model, .. } = target;
    let (family, capabilities) = (spec.family, target.capabilities());
    let facts = spec.facts(model);
    let rules = rules(target);
    let mut found = request.check(&rules);
    found.retain(|violation| violation.rule != MODEL_NAME);
    if family != Family::Anthropic {
        found.retain(|violation| EVERYWHERE.contains(&violation.rule));
    }
    let mut finder = Finder {
        found,
        capabilities,
    };
    // The name that counts is the one that goes out.
    if model.trim().is_empty() {
        finder.add(MODEL_NAME, "model".into(), format!("{model:?}"));
    }
    finder.parameters(request, family, facts);
    finder.messages(request);
    finder.found
}

impl Target<'_> {
    fn capabilities(&self) -> Capabilities {
        self.spec.capabilities(self.options.global_scope)
    }
}

struct Finder {
    found: Vec<Violation>,
    capabilities: Capabilities,
}

impl Finder {
    fn add(&mut self, rule: &'static str, path: String, found: String) {
        self.found.push(Violation { rule, path, found });
    }

    fn parameters(&mut self, request: &Request, family: Family, facts: Option<&ModelFacts>) {
        if let Some(limit) = facts.and_then(|facts| facts.max_output)
            && request.max_tokens > limit
        {
            let found = format!("{}, at most {limit}", request.max_tokens);
            self.add("largest-answer", "max_tokens".into(), found);
        }
        if let Some(facts) = facts {
            self.thinking(request, facts);
            self.sampling(request, facts);
        }
        let stops = match family {
            Family::Anthropic => usize::MAX,
            Family::OpenAi => 4,
            Family::Gemini => 5,
        };
        let count = request.stop_sequences.len();
        if count > stops {
            self.add(
                "stop-limit",
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
                    "forced-tool",
                    "tool_choice.name".into(),
                    format!("{name:?}"),
                );
            }
        }
    }

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
            self.add("thinking-kind", "thinking.type".into(), found);
        }
    }

    fn sampling(&mut self, request: &Request, facts: &ModelFacts) {
        if facts.sampling != Some(Sampling::Refused) {
            return;
        }
        if let Some(temperature) = &request.temperature {
            self.add("sampling", "temperature".into(), temperature.to_string());
        }
        for (key, value) in &request.extra.0 {
            if matches!(key.as_str(), "top_p" | "top_k") {
                self.add("sampling", key.clone(), value.get().to_owned());
            }
        }
    }

    fn messages(&mut self, request: &Request) {
        for (message, it) in request.messages.iter().enumerate() {
            if it.role == Role::System && !self.capabilities.mid_conversation_system {
                self.add(
                    "system-message",
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
                "document",
                path(),
                "a document that is not plain text".into(),
            );
        }
        let Sources { url, file } = sources;
        let found = match source {
            MediaSource::Url { url: address } if !url => format!("{address:?}"),
            MediaSource::File { file_id } if !file => format!("{file_id:?}"),
            // A source of a type that only Anthropic may know.
            MediaSource::Other(raw) if !file => raw.get().chars().take(80).collect(),
            _ => return,
        };
        self.add("base64-only", format!("{}.source", path()), found);
    }
}
