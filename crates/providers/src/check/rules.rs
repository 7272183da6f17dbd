//! The rules of providers and models, and the names of rules on each wire.

use crate::provider_spec::WireDialect;

/// A rule of a provider or a model, in addition to those of the Messages API
/// ([`aside_messages::RULES`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderRule {
    /// Its name, in kebab case.
    pub name: &'static str,
    /// The prohibition, as a sentence.
    pub summary: &'static str,
}

/// Every rule that [`convert`](crate::convert) checks, in addition to those of
/// the Messages API.
///
/// ```
/// use aside_providers::PROVIDER_RULES;
///
/// assert!(PROVIDER_RULES.iter().any(|rule| rule.name == "stop-limit"));
/// ```
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

/// Creates a row of the table.
const fn rule(name: &'static str, summary: &'static str) -> ProviderRule {
    ProviderRule { name, summary }
}

/// The rules of the Messages API that other wires have in their own way,
/// because without them a conversation has no meaning; and their names there.
///
/// Each row is the name in the Messages API and the name on the other wires.
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

/// The rule of the Messages API about the name of the model.
///
/// It is checked on the name that is sent, not on that of the request.
pub(super) const MODEL_NAME: &str = "model-name";

/// Returns the name of a rule of the Messages API on the wire in use; `None`
/// if the wire has no such rule.
///
/// On the Messages API every rule keeps its name.
pub(crate) fn rule_on(wire: &WireDialect, rule: &'static str) -> Option<&'static str> {
    if matches!(wire, WireDialect::Messages(_)) {
        return Some(rule);
    }
    let found = ELSEWHERE.iter().find(|(messages, _)| *messages == rule);
    found.map(|(_, name)| *name)
}

/// The rules of the Messages API that are checked before a conversion. Others
/// depend on facts that only the caller has: betas, and keys that are newer
/// than the rules.
pub(super) const MESSAGES_API: &[&str] = &[
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
