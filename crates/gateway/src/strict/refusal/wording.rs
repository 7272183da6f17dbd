//! The texts that the API publishes for its refusals, one row per rule in
//! `aside-rules`.
//!
//! ```text
//! finding      messages[1].content[0].tool_use_id
//! refusal      messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks
//! ```
//!
//! Source: error texts published by the platform, in live probes and in issue
//! threads. Texts change, and clients match a key phrase. A rule without a row
//! is refused with its id and the finding.

/// The text that the API refuses a body with when it breaks a rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wording {
    /// The rule's id, as in `unknown-key`.
    rule: &'static str,
    /// What a finding's `found` contains, if the API has several texts for one
    /// rule; empty for any finding.
    found: &'static str,
    /// The part of the path that comes before the text.
    pub(super) at: At,
    /// The message. `{found}` and `{expected}` are replaced by the finding's
    /// own, `{choices}` by the values that it expects, `{number}` by the first
    /// number that was found, and `{path}` by the path.
    pub(super) text: &'static str,
    /// The value of `error.details.error_code`; most refusals have none.
    pub(super) code: Option<&'static str>,
}

/// The part of a finding's path that the API names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// The value's own path, such as `messages.1.content.0.tool_use_id`.
    Value,
    /// The value, with the types of the objects on its path:
    /// `messages.1.content.0.text.zzz`.
    Tagged,
    /// The object around the value, with the same types:
    /// `messages.1.content.0.text`.
    TaggedParent,
    /// The object around the value: `messages.1.content.0`.
    Parent,
    /// The message, or another list's element: `messages.1`.
    Message,
    /// The list alone: `messages`.
    List,
    /// No path: the text is the whole message.
    Nowhere,
}

impl At {
    /// Returns a path's part in the API's form, with dots; empty for no path.
    pub(super) fn of(self, path: &str) -> &str {
        match self {
            Self::Value | Self::Tagged => path,
            Self::Parent | Self::TaggedParent => {
                path.rsplit_once('.').map_or("", |(parent, _)| parent)
            }
            Self::Message => {
                let mut dots = path.match_indices('.').map(|(at, _)| at);
                dots.nth(1).map_or(path, |end| &path[..end])
            }
            Self::List => path.split('.').next().unwrap_or_default(),
            Self::Nowhere => "",
        }
    }
}

/// Returns the text for a rule's finding, if one is published.
pub(super) fn wording(rule: &str, found: &str) -> Option<&'static Wording> {
    let mut rows = WORDINGS.iter().filter(|it| it.rule == rule);
    rows.find(|it| found.contains(it.found))
}

/// Without a code. The functions below choose the path.
const fn at(at: At, rule: &'static str, text: &'static str) -> Wording {
    Wording {
        rule,
        found: "",
        at,
        text,
        code: None,
    }
}

/// The text follows the value's path.
const fn value(rule: &'static str, text: &'static str) -> Wording {
    at(At::Value, rule, text)
}

/// The text follows the path with the types of the objects on it.
const fn tagged(rule: &'static str, text: &'static str) -> Wording {
    at(At::Tagged, rule, text)
}

/// The text follows the path of the object around the value.
const fn parent(rule: &'static str, text: &'static str) -> Wording {
    at(At::Parent, rule, text)
}

/// The text follows the message's path.
const fn message(rule: &'static str, text: &'static str) -> Wording {
    at(At::Message, rule, text)
}

/// The text follows no path.
const fn plain(rule: &'static str, text: &'static str) -> Wording {
    at(At::Nowhere, rule, text)
}

impl Wording {
    /// Limits the row to findings that contain this.
    const fn if_found(self, found: &'static str) -> Self {
        Self { found, ..self }
    }

    const fn code(self, code: &'static str) -> Self {
        Self {
            code: Some(code),
            ..self
        }
    }
}

const EXTRA: &str = "Extra inputs are not permitted";
const TAG: &str = "Input tag found using 'type' does not match any of the expected tags";
const PATTERN: &str = "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'";
const UNANSWERED: &str = "`tool_use` ids were found without `tool_result` blocks immediately after";
const AFTER: &str = "role 'system' must follow a 'user' message or an 'assistant' message ending \
                     in a server tool result; the directive-only form (content: [] with \
                     output_config) is accepted at any position";
const BEFORE: &str = "role 'system' must precede an 'assistant' message or end the array; the \
                      directive-only form (content: [] with output_config) is accepted at any \
                      position";
const FIRST: &str = "use the top-level 'system' parameter for the initial system prompt; the \
                     directive-only form (content: [] with output_config) is accepted at any \
                     position";

/// Every row, grouped by topic. If a rule has several rows, the first that fits
/// is taken.
const WORDINGS: &[Wording] = &[
    plain("json", "The request body is not valid JSON"),
    // The document's form.
    tagged("unknown-key", EXTRA),
    tagged("missing-key", "Field required"),
    tagged("value-type", "Input should be {expected}"),
    tagged("value", "Input should be {choices}"),
    value("misspelled-kind", TAG),
    value("block-place", TAG),
    // Messages.
    value("no-message", "at least one message is required"),
    message(
        "empty-content",
        "all messages must have non-empty content except for the optional final assistant message",
    ),
    at(
        At::List,
        "blank-text",
        "text content blocks must contain non-whitespace text",
    ),
    plain(
        "prefill",
        "This model does not support assistant message prefill. The conversation must end with a \
         user message.",
    ),
    plain(
        "trailing-space",
        "messages: final assistant content cannot end with trailing whitespace",
    ),
    parent(
        "thinking-signature",
        "Invalid `signature` in `thinking` block",
    ),
    // Tool uses and their results.
    message("result-order", UNANSWERED),
    message("unanswered-call", UNANSWERED),
    parent(
        "orphaned-result",
        "unexpected `tool_use_id` found in `tool_result` blocks",
    ),
    parent(
        "doubled-result",
        "each tool_use must have a single result. Found multiple",
    ),
    parent("doubled-call", "`tool_use` ids must be unique"),
    value(
        "error-content",
        "all content must be type `text` if `is_error` is true",
    ),
    // System messages.
    message(
        "system-model",
        "role 'system' is not supported on this model",
    ),
    message("system-first", FIRST),
    message("system-after", AFTER),
    message("system-before", BEFORE),
    message(
        "system-content",
        "system content must contain at least one block",
    ),
    message(
        "system-blocks",
        "role 'system' supports text, tool_addition, and tool_removal blocks only",
    ),
    value("clear-at-beta", EXTRA),
    message(
        "clear-at-role",
        "clear_at is only permitted on role 'system' messages",
    ),
    message("clear-at-model", "clear_at is not supported on this model"),
    message(
        "clear-at-blocks",
        "a turn-scoped system message supports text blocks only (clear_at: 'next_user_message')",
    ),
    message(
        "clear-at-output-config",
        "output_config is not permitted on a turn-scoped system message",
    ),
    parent(
        "clear-at-marker",
        "cache_control is not permitted on a turn-scoped system message",
    ),
    value("message-effort-beta", EXTRA),
    value("message-effort-role", EXTRA),
    message(
        "message-effort-model",
        "output_config.effort requires a model that supports per-turn effort; this model does not",
    ),
    // Tool changes.
    value("tool-changes-beta", TAG),
    value("inline-tools-beta", TAG),
    value(
        "tool-changes-model",
        "tool changes are not supported on this model",
    ),
    parent(
        "tool-change-reference",
        "tool '{found}' is not defined in `tools`",
    )
    .code("tool_reference_unresolved"),
    // Compaction.
    value(
        "compaction-beta",
        "`compaction` is not one of the expected inputs",
    ),
    value(
        "compaction-misplaced",
        "the compaction block must come first",
    )
    .code("compaction_block_misplaced"),
    value(
        "compaction-ambiguous",
        "there is more than one compaction block",
    )
    .code("compaction_block_ambiguous"),
    // Thinking.
    value("block-binding-beta", EXTRA),
    plain(
        "thinking-budget",
        "`max_tokens` must be greater than `thinking.budget_tokens`",
    ),
    plain(
        "thinking-mode",
        "To turn thinking off on this model, send \"thinking\": {\"type\": \"between_tools\"} instead",
    )
    .if_found("\"disabled\", claude-sonnet-5-5"),
    plain(
        "thinking-mode",
        "adaptive thinking is not supported on this model",
    )
    .if_found("\"adaptive\""),
    plain(
        "thinking-mode",
        "\"thinking.type.{found}\" is not supported for this model.",
    ),
    plain(
        "thinking-effort",
        "output_config.effort '{found}' is not supported when thinking is disabled on this model. \
         Use effort 'high' or below, or enable thinking.",
    ),
    // Parameters and tools.
    value("sampling", EXTRA),
    plain(
        "stop-sequence",
        "stop_sequences: each stop sequence must contain non-whitespace",
    ),
    plain("context-editing-beta", "context_management: Extra inputs are not permitted"),
    value("mcp-beta", EXTRA),
    plain("sampling-model", "`{path}` is deprecated for this model."),
    plain(
        "sampling-thinking",
        "`{path}` may only be set to 1 when thinking is enabled or in adaptive mode",
    ),
    tagged(
        "image-sides",
        "At least one of the image dimensions exceed max allowed size: 8000 pixels",
    )
    .code("image_dimensions_too_large"),
    value(
        "container",
        "Container identifier can only be provided when using the code execution tool",
    ),
    plain(
        "forced-tool-model",
        "tool_choice: type \"tool\" and \"any\" are not supported for this model.",
    ),
    plain(
        "tool-choice",
        "tool_choice: tool_choice may only be specified while providing tools",
    )
    .if_found("without tools"),
    plain("tool-choice", "Tool '{found}' not found in provided tools"),
    tagged("tool-name", PATTERN),
    plain("doubled-tool", "tools: Tool names must be unique."),
    plain(
        "all-deferred",
        "At least one tool must have defer_loading=false",
    ),
    // Markers.
    plain(
        "marker-limit",
        "A maximum of 4 blocks with cache_control may be provided. Found {number}.",
    ),
    plain(
        "marker-ttl",
        "{path}.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control \
         block.",
    ),
    tagged("marker-form", "Input should be {choices}"),
    at(
        At::TaggedParent,
        "marker-place",
        "cache_control cannot be set for empty text blocks",
    )
    .if_found("empty text"),
    tagged("marker-place", EXTRA),
];

#[cfg(test)]
mod tests {
    use aside_rules::RULES;

    use super::*;

    #[test]
    fn every_wording_is_of_a_rule_and_can_be_reached() {
        for (index, wording) in WORDINGS.iter().enumerate() {
            let is_known = RULES.iter().any(|rule| rule.id == wording.rule);
            assert!(is_known, "{}", wording.rule);
            let mut earlier = WORDINGS[..index].iter();
            let is_reached = |it: &Wording| it.rule != wording.rule || !it.found.is_empty();
            assert!(earlier.all(is_reached), "{}", wording.rule);
        }
    }

    #[test]
    fn a_path_ends_where_the_api_ends_it() {
        let path = "messages.1.content.0.tool_use_id";
        for (at, expected) in [
            (At::Value, path),
            (At::Parent, "messages.1.content.0"),
            (At::Message, "messages.1"),
            (At::List, "messages"),
            (At::Nowhere, ""),
        ] {
            assert_eq!(at.of(path), expected);
        }
        assert_eq!(At::Message.of("messages"), "messages");
        assert_eq!(At::Parent.of("messages"), "");
    }
}
