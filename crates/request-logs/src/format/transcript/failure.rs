//! Failed requests: the server's message, and its status if the log has it.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::line::{Line, Message, is, object, sent, text};
use crate::agent::Agent;
use crate::exchange::Exchange;

/// How many characters of a failure's message to keep.
const MAX_ERROR_CHARS: usize = 200;

/// An error, as several agents write it.
#[derive(Default, Deserialize)]
struct Failure<'a> {
    #[serde(borrow)]
    status: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
    name: Option<&'a RawValue>,
    /// In a message of opencode.
    data: Option<&'a RawValue>,
}

/// What opencode keeps of a response with an error.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ErrorData<'a> {
    #[serde(borrow)]
    status_code: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
}

/// Reads a Claude Code response in place of a failed one: `API Error: 529 {…}`.
pub(super) fn response(exchange: Exchange, line: &Line<'_>, message: &Message<'_>) -> Exchange {
    #[derive(Deserialize)]
    struct Text {
        text: Option<String>,
    }
    let content: Vec<Text> = object(message.content).unwrap_or_default();
    let shown = content.into_iter().find_map(|it| it.text).unwrap_or_default();
    let status = shown.strip_prefix("API Error: ").and_then(|it| it.get(..3));
    Exchange {
        // `<synthetic>` is no model.
        model: None,
        status: status.and_then(|it| it.parse().ok()),
        error: Some(short(&text(line.error).unwrap_or(shown))),
        ..exchange
    }
}

/// Reads a failure that Claude Code retries: a system line with the error.
pub(super) fn retried(line: &Line<'_>) -> Option<Exchange> {
    if !is(line.subtype, "api_error") {
        return None;
    }
    let exchange = Exchange {
        agent: Some(Agent::ClaudeCode),
        session: text(line.session_id),
        subagent: text(line.agent_id),
        project: text(line.cwd),
        id: text(line.uuid),
        ..sent(line.timestamp)
    };
    Some(match line.error {
        Some(error) => named(exchange, error),
        None => Exchange { error: Some("no message".to_owned()), ..exchange },
    })
}

/// Adds an error object's status and message.
pub(super) fn named(exchange: Exchange, error: &RawValue) -> Exchange {
    let failure: Failure<'_> = object(Some(error)).unwrap_or_default();
    let data: ErrorData<'_> = object(failure.data).unwrap_or_default();
    let message = text(failure.message.or(data.message)).or_else(|| text(failure.name));
    Exchange {
        status: object(failure.status.or(data.status_code)),
        error: Some(short(message.as_deref().unwrap_or("no message"))),
        ..exchange
    }
}

fn short(message: &str) -> String {
    message.chars().take(MAX_ERROR_CHARS).collect()
}
