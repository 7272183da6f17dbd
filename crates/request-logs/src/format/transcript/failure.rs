//! Failed requests: the server's message, and its status if the log has it.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::line::{Line, Message, is, object, sent, text};
use crate::agent::Agent;
use crate::exchange::Exchange;

/// How many characters of a failure's message to keep.
const MAX_ERROR_CHARS: usize = 200;

/// How many errors to read of one that holds others: an SDK's holds the body, which holds the API's.
const MAX_NESTED: usize = 3;

/// An error, as several agents and the APIs write it.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Failure<'a> {
    #[serde(borrow)]
    status: Option<&'a RawValue>,
    status_code: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
    name: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    /// In a message of opencode.
    data: Option<&'a RawValue>,
}

impl<'a> Failure<'a> {
    /// Returns this error and those within.
    fn nested(self) -> impl Iterator<Item = Self> {
        let within = |it: &Self| object(it.error.or(it.data));
        std::iter::successors(Some(self), within).take(MAX_NESTED)
    }

    fn message(self) -> Option<String> {
        self.nested().find_map(|it| text(it.message))
    }
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
    let status = object(line.api_error_status).or_else(|| status?.parse().ok());
    let message = text(line.error_details).map(|it| body_message(&it).unwrap_or(it));
    let message = message.unwrap_or(shown);
    let message = match text(line.error) {
        Some(kind) => format!("{kind}: {message}"),
        None => message,
    };
    // `<synthetic>` is no model.
    Exchange { model: None, status, error: Some(short(&message)), ..exchange }
}

/// Returns the message of a body after its status: `400 {"error":{"message":"…"}}`.
fn body_message(details: &str) -> Option<String> {
    let (_, body) = details.split_once(' ')?;
    serde_json::from_str::<Failure<'_>>(body).ok()?.message()
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
    let name = failure.name;
    let message = failure.message().or_else(|| text(name));
    Exchange {
        status: failure.nested().find_map(|it| object(it.status.or(it.status_code))),
        error: Some(short(message.as_deref().unwrap_or("no message"))),
        ..exchange
    }
}

fn short(message: &str) -> String {
    message.chars().take(MAX_ERROR_CHARS).collect()
}
