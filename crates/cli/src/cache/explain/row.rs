//! A row of `aside cache explain --json`.

use std::time::Duration;

use aside_cache_model::{Cost, ThinkingLoss, Usage, Verdict};
use aside_request_logs::Exchange;
use serde::Serialize;

/// One request in the `requests` array that `--json` prints, on one output
/// line.
///
/// ```json
/// {"request": 2, "line": 2, "at": 60.0, "session": "demo", "rules": "anthropic", "is_exact": true,
///  "predicted": {"hit": {"path": "messages[0].content[0]", "tokens": 1232}, "cost": 0.0021114, …},
///  "recorded": {"read": 1232, "write_5m": 373, "write_1h": 0, "uncached": 0}}
/// ```
///
/// An entry without a body has no `rules` and no `predicted`: a transcript has
/// only usage. Keys are added, never changed.
#[derive(Default, Serialize)]
pub(super) struct Row<'a> {
    /// The request's number, from 1. Failed requests are not counted and have
    /// none.
    pub(super) request: Option<usize>,
    /// The log line, from 1.
    pub(super) line: usize,
    /// Seconds since the log's fixed starting moment.
    pub(super) at: f64,
    /// The session id; absent when the log has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<&'a str>,
    /// The model id, when the log or the body names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<&'a str>,
    /// The HTTP status, when the log has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rules: Option<&'a str>,
    /// True when byte offsets refer to the bytes as sent.
    pub(super) is_exact: bool,
    /// The model's verdict; absent without a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) predicted: Option<&'a Verdict>,
    /// The usage that the provider reported, when the log has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recorded: Option<Usage>,
    /// Why the provider itself reported a miss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) diagnostics: Option<&'a str>,
    /// Thinking blocks that the model no longer reads, because the prefix
    /// before them changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking_lost: Option<ThinkingLoss>,
    /// A miss inferred from usage and times, for an entry without a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) miss: Option<UnbodiedMiss<'a>>,
}

#[derive(Serialize)]
pub(super) struct UnbodiedMiss<'a> {
    pub(super) cause: &'a str,
    pub(super) lost_tokens: u64,
    pub(super) lost_cost: Option<Cost>,
}

impl<'a> Row<'a> {
    pub(super) fn new(exchange: &'a Exchange, at: Duration) -> Self {
        Self {
            line: exchange.line,
            at: at.as_secs_f64(),
            session: exchange.session.as_deref(),
            model: exchange.model.as_deref(),
            status: exchange.status,
            error: exchange.error.as_deref(),
            diagnostics: exchange.diagnostics.as_deref(),
            ..Self::default()
        }
    }
}
