//! The one seam to the rules of `aside-messages`.

use aside_messages::wire::Request;
use aside_messages::{ApiVersion, Rules, check_body};

use super::error::ApiError;
use super::request::StrictRequest;

/// The rules of `aside-messages` that are judged here. The others depend on the
/// model, the betas or the history, which the rest of the judge knows better.
const JUDGED: [&str; 22] = [
    "no-message",
    "empty-content",
    "blank-text",
    "result-order",
    "unanswered-call",
    "orphaned-result",
    "doubled-result",
    "doubled-call",
    "error-content",
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
    "sampling",
    "media-limit",
];

/// Refuses a body that `aside check` calls refused.
pub(crate) fn check(request: &StrictRequest<'_>) -> Result<(), ApiError> {
    Request::parse(request.body).map_err(|error| {
        let path = api_path(error.path());
        ApiError::invalid(format!("{path}: {}", error.detail()))
    })?;
    let rules = Rules {
        version: Some(match &*request.version {
            "2026-10-21" => ApiVersion::V2026_10_21,
            _ => ApiVersion::V2023_06_01,
        }),
        ..Rules::default()
    };
    let checked = check_body(request.body, &rules);
    let mut refused = checked.refused();
    let Some(violation) = refused.find(|it| JUDGED.contains(&it.rule)) else {
        return Ok(());
    };
    let path = api_path(&violation.path);
    // The API names the block.
    let block = path.strip_suffix(".tool_use_id");
    let path = block.or(path.strip_suffix(".id")).unwrap_or(&path);
    Err(ApiError::invalid(match text(violation.rule) {
        Some(text) => format!("{path}: {text}"),
        None => format!("{path}: {} ({})", violation.found, violation.rule),
    }))
}

/// Returns the key phrase with which the API refuses.
fn text(rule: &str) -> Option<&'static str> {
    Some(match rule {
        "no-message" => "at least one message is required",
        "empty-content" => {
            "all messages must have non-empty content except for the optional final assistant \
             message"
        }
        "blank-text" => "text content blocks must contain non-whitespace text",
        "unanswered-call" | "result-order" => {
            "`tool_use` ids were found without `tool_result` blocks immediately after"
        }
        "orphaned-result" => "unexpected `tool_use_id` found in `tool_result` blocks",
        "doubled-result" => "each tool_use must have a single result. Found multiple",
        "doubled-call" => "`tool_use` ids must be unique",
        "error-content" => "all content must be type `text` if `is_error` is true",
        "doubled-tool" => "Tool names must be unique.",
        "tool-name" => "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
        "marker-limit" => "A maximum of 4 blocks with cache_control may be provided.",
        "marker-ttl" => {
            "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."
        }
        "thinking-budget" => "`max_tokens` must be greater than `thinking.budget_tokens`",
        _ => return None,
    })
}

/// Writes `messages[3].content[0]` as the API does: `messages.3.content.0`.
fn api_path(path: &str) -> String {
    path.replace('[', ".").replace(']', "")
}
