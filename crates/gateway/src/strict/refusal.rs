//! The one seam to the rules of `aside-messages`.

use aside_messages::wire::Request;
use aside_messages::{ApiVersion, Rules};
use aside_models::ModelFacts;

use super::body::RequestBody;
use super::error::ApiError;
use super::request::StrictRequest;

/// Rules that [`placement`](super::placement) judges with more facts: the API
/// takes an assistant's message first and a system message last.
const JUDGED_ELSEWHERE: [&str; 2] = ["first-role", "last-role"];

/// Refuses a body that `aside check` calls refused.
pub(crate) fn check(
    request: &StrictRequest<'_>,
    body: &RequestBody<'_>,
    facts: &ModelFacts,
) -> Result<(), ApiError> {
    let parsed = Request::parse(request.body).map_err(|error| {
        let path = api_path(error.path());
        ApiError::invalid(format!("{path}: {}", error.detail()))
    })?;
    let rules = Rules {
        version: match &*request.version {
            "2026-10-21" => ApiVersion::V2026_10_21,
            _ => ApiVersion::V2023_06_01,
        },
        media_limit: facts.max_images.map_or(600, |images| images as usize),
        ..Rules::default()
    };
    // A system message without content may only set an effort.
    let is_system = |path: &str| {
        let mut messages = body.messages.iter().enumerate();
        messages.any(|(index, it)| {
            it.role == "system" && path.starts_with(&format!("messages[{index}]"))
        })
    };
    let mut violations = parsed.value.check(&rules).into_iter();
    let refused = violations.find(|it| {
        let is_directive = it.rule == "empty-content" && is_system(&it.path);
        !JUDGED_ELSEWHERE.contains(&it.rule) && !is_directive
    });
    let Some(violation) = refused else {
        return Ok(());
    };
    let path = api_path(&violation.path);
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
