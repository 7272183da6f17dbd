use aside_messages::wire::{
    ContentBlock, MediaSource, Message, Request, ResultContent, Role, is_paused,
};
use aside_messages::{Level, Part, RULES, Rules, Violation};
use aside_models::{self as models, Acceptance, ModelFacts, Platform, Sampling, ToolSupport};

use crate::capabilities::{Capabilities, Sources};
use crate::provider_spec::Wire;
use crate::stand_in::is_api_id;
use crate::target::Target;

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
        "sampling-parameters",
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
    rule(
        "tools-on-chat",
        "There are no tools on Chat Completions where the model takes them on Responses only.",
    ),
    rule("empty-conversation", "There is a message."),
    rule(
        "first-turn",
        "The conversation begins with the user's turn.",
    ),
    rule(
        "last-turn",
        "The conversation ends with the user's turn: other wires do not continue an answer.",
    ),
    rule(
        "unknown-role",
        "A message is of the user, the model or the system.",
    ),
    rule(
        "missing-output",
        "Every call has an output in the message after it.",
    ),
    rule(
        "missing-call",
        "Every output belongs to a call in the message before it.",
    ),
    rule("repeated-output", "No call has two outputs."),
    rule("repeated-call", "No two calls have the same id."),
    rule("repeated-function", "No two functions have the same name."),
    rule(
        "function-choice",
        "The choice of a function is one that the wire has.",
    ),
    rule(
        "image-limit",
        "There are no more images than the model takes.",
    ),
    rule("model-id", "The model has a name."),
    rule(
        "model-endpoint",
        "The model is one that the provider's endpoint is known to serve.",
    ),
];

const fn rule(name: &'static str, summary: &'static str) -> ProviderRule {
    ProviderRule { name, summary }
}

/// The rules of the Messages API that other wires have in their own way,
/// because without them a conversation has no meaning; and their names there.
const ELSEWHERE: &[(&str, &str)] = &[
    ("no-message", "empty-conversation"),
    ("unanswered-call", "missing-output"),
    ("orphaned-result", "missing-call"),
    ("doubled-result", "repeated-output"),
    ("doubled-call", "repeated-call"),
    ("doubled-tool", "repeated-function"),
    ("tool-choice", "function-choice"),
    ("media-limit", "image-limit"),
    (MODEL_NAME, "model-id"),
];

/// A rule of the Messages API that holds for the model which the provider is
/// asked for.
const MODEL_NAME: &str = "model-name";

/// Returns the name of a rule of the Messages API on the wire in use; `None`
/// if the wire has no such rule.
pub(crate) fn rule_on(wire: &Wire, rule: &'static str) -> Option<&'static str> {
    if matches!(wire, Wire::Messages(_)) {
        return Some(rule);
    }
    let found = ELSEWHERE.iter().find(|(messages, _)| *messages == rule);
    found.map(|(_, name)| *name)
}

/// The rules of the Messages API that a request is held to before it is
/// converted. Others depend on what only the caller knows: betas, and keys that
/// are newer than the rules.
const MESSAGES_API: &[&str] = &[
    "no-message",
    "prefill",
    "empty-content",
    "blank-text",
    "result-order",
    "unanswered-call",
    "orphaned-result",
    "doubled-result",
    "doubled-call",
    "error-content",
    "media-limit",
    "tool-name",
    "doubled-tool",
    "tool-schema",
    "tool-choice",
    "marker-form",
    "global-scope",
    "marker-limit",
    "marker-ttl",
    "marker-place",
    "thinking-budget",
    "sampling-range",
    "null-system",
    "sampling",
    "assistant-document",
    "user-citations",
    "platform-key",
    "platform-feature",
    "inline-tools-platform",
];

/// The rules of the Messages API for a provider and a model.
pub(crate) fn rules(target: Target<'_>) -> Rules {
    let is_anthropic = target.spec.platform.is_anthropic();
    Rules {
        version: Some(target.options.api_version),
        model: Some(target.model.to_owned()),
        platform: is_anthropic.then_some(target.spec.platform),
        ..Rules::default()
    }
}

/// Returns the violations that count for the target, by their names there.
pub(crate) fn relevant(found: Vec<Violation>, target: Target<'_>) -> Vec<Violation> {
    let wire = &target.wire().wire;
    let counts = |it: &Violation| {
        let is_elsewhere = match it.rule {
            "global-scope" => target.capabilities().global_scope,
            // The name of a tool is a rule of the providers.
            "tool-choice" => it.path != "tool_choice",
            // These keys are moved to the address.
            "platform-key" => matches!(it.path.as_str(), "model" | "stream"),
            // A rule of the providers.
            "platform-feature" => it.path.ends_with(".source"),
            _ => false,
        };
        it.level == Level::Refused && MESSAGES_API.contains(&it.rule) && !is_elsewhere
    };
    let named = |mut violation: Violation| {
        violation.rule = rule_on(wire, violation.rule)?;
        Some(violation)
    };
    let found = found.into_iter().filter(counts);
    found.filter_map(named).collect()
}

/// Creates a violation of a rule of the Messages API, by its name at the target.
pub(crate) fn violation(
    rule: &'static str,
    path: String,
    found: String,
    target: Target<'_>,
) -> Option<Violation> {
    let rule = RULES.iter().find(|it| it.name == rule);
    let violation = rule.map(|rule| Violation::of(rule, path, found));
    relevant(violation.into_iter().collect(), target).pop()
}

/// Returns what the provider and the model would refuse of a part of the
/// request.
pub(crate) fn violations(request: &Request, target: Target<'_>, part: Part) -> Vec<Violation> {
    let Target { spec, model, .. } = target;
    let capabilities = target.capabilities();
    let facts = spec.facts(model);
    let wire = target.wire();
    let checked = request.check_part(&rules(target), part);
    let mut finder = Finder {
        found: relevant(checked.violations, target),
        capabilities,
    };
    // The name that counts is the one that goes out.
    if model.trim().is_empty() {
        let rule = rule_on(&wire.wire, MODEL_NAME).unwrap_or(MODEL_NAME);
        finder.add(rule, "model".into(), format!("{model:?}"));
    }
    if let Some(found) = not_served(target) {
        finder.add("model-endpoint", "model".into(), found);
    }
    finder.roles(request, &wire.wire);
    finder.parameters(request, &wire.wire, facts);
    finder.tools_on_chat(request, &wire.wire, facts);
    finder.messages(request);
    finder.found
}

/// Returns what is wrong with a model that Bedrock has, but that its Messages
/// endpoint is not known to have.
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

/// Returns true for a response that the provider continues.
fn was_paused(message: &Message) -> bool {
    let blocks = message.content.iter().map(|block| match block {
        ContentBlock::Other(other) => Some(other),
        _ => None,
    });
    message.role == Role::Assistant && is_paused(blocks)
}

struct Finder {
    found: Vec<Violation>,
    capabilities: Capabilities,
}

impl Finder {
    fn add(&mut self, rule: &'static str, path: String, found: String) {
        self.found.push(Violation::new(rule, path, found));
    }

    /// Roles, and the turns with which a conversation begins and ends.
    fn roles(&mut self, request: &Request, wire: &Wire) {
        for (index, message) in request.messages.iter().enumerate() {
            if let Role::Other(role) = &message.role {
                let path = format!("messages[{index}].role");
                self.add("unknown-role", path, format!("{role:?}"));
            }
        }
        if matches!(wire, Wire::Messages(_)) {
            return;
        }
        let is_openai = matches!(wire, Wire::Responses(_) | Wire::ChatCompletions(_));
        let mut end = |rule, index: usize| {
            let Some(message) = request.messages.get(index) else {
                return;
            };
            if message.role != Role::User {
                let found = format!("{:?}", message.role.as_str());
                self.add(rule, format!("messages[{index}].role"), found);
            }
        };
        // A conversation may begin with the model's turn there.
        if !is_openai {
            end("first-turn", 0);
        }
        let last = request.messages.last();
        let is_ended =
            last.is_some_and(|last| was_paused(last) || (is_openai && last.role == Role::System));
        if !is_ended {
            end("last-turn", request.messages.len().saturating_sub(1));
        }
    }

    fn parameters(&mut self, request: &Request, wire: &Wire, facts: Option<&ModelFacts>) {
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
        let stops = match wire {
            Wire::ChatCompletions(_) => 4,
            Wire::GenerateContent => 5,
            // On Responses there are none, which is a loss.
            Wire::Messages(_) | Wire::Responses(_) => usize::MAX,
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

    /// Tools that the model takes on another wire only.
    fn tools_on_chat(&mut self, request: &Request, wire: &Wire, facts: Option<&ModelFacts>) {
        let (Wire::ChatCompletions(_), Some(facts)) = (wire, facts) else {
            return;
        };
        let mut chat = facts.wires.iter();
        let chat = chat.find(|it| it.wire == models::Wire::ChatCompletions);
        let is_refused = chat.is_some_and(|it| match it.tools {
            ToolSupport::Refused => true,
            ToolSupport::WithoutReasoning => facts.effort_none == Some(false),
            _ => false,
        });
        if is_refused && !request.tools.is_empty() {
            let older = models::counterpart(
                facts.vendor,
                models::Tier::Opus,
                models::Wire::ChatCompletions,
            );
            let older = older.map_or("an older model", |it| it.id);
            let found = format!(
                "{} takes tools on Responses only: use the provider's own server, or {older}",
                facts.id
            );
            self.add("tools-on-chat", "tools".into(), found);
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
            self.add(
                "sampling-parameters",
                "temperature".into(),
                temperature.to_string(),
            );
        }
        for (key, value) in &request.extra.0 {
            if matches!(key.as_str(), "top_p" | "top_k") {
                self.add("sampling-parameters", key.clone(), value.get().to_owned());
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
