//! Transcripts of coding agents. They have no tools and no system prompt, so
//! there is no body: usage and times only.
//!
//! A response is written as one line for each block, all with the same id;
//! usage grows from line to line. So the last line of an id counts. Several
//! responses may be open at once, of subagents for example.
//!
//! Rollouts are the other kind: events in a `payload`, of which `token_count`
//! has the usage of one request.
//!
//! ```text
//! {"type":"assistant","sessionId":"s","message":{"id":"msg_1","usage":{…}}}       transcript
//! {"type":"event_msg","payload":{"type":"token_count","info":{…}}}                rollout
//! ```

use std::collections::VecDeque;

use aside_models::Usage;
use serde_json::Value;

use crate::exchange::Exchange;
use crate::json::{at, text};
use crate::time;

/// Collects the lines of each response: one for each of its blocks, of which
/// the last has the totals.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    /// Responses for which another line may follow, the oldest first; at most
    /// `MAX_OPEN`.
    open: VecDeque<Exchange>,
    /// The session of a rollout, from its `session_meta` line.
    session: Option<String>,
}

/// The maximum number of responses that are written at the same time.
///
/// A ninth response completes the oldest one.
const MAX_OPEN: usize = 8;

impl Transcript {
    /// Reads a line; returns the responses that are complete.
    pub(super) fn read(&mut self, value: &Value, line: usize) -> Vec<Exchange> {
        if value.get("payload").is_some() {
            return self.rollout(value, line).into_iter().collect();
        }
        let Some(usage) = at(value, &["message", "usage"]).and_then(Usage::from_any_vendor) else {
            return Vec::new();
        };
        let reason = at(value, &["message", "diagnostics", "cache_miss_reason"]);
        let exchange = Exchange {
            line,
            session: text(value, &["sessionId"]).or(text(value, &["session_id"])),
            id: text(value, &["message", "id"]),
            at: value.get("timestamp").and_then(time::read),
            model: text(value, &["message", "model"]),
            usage: Some(usage),
            diagnostics: reason.and_then(|it| text(it, &["type"])),
            ..Exchange::default()
        };
        let is_same = |it: &&mut Exchange| it.id.is_some() && it.id == exchange.id;
        if let Some(open) = self.open.iter_mut().find(is_same) {
            // The time of the first line is nearest to the request.
            let (at, line) = (open.at, open.line);
            *open = Exchange {
                at,
                line,
                ..exchange
            };
            return Vec::new();
        }
        self.open.push_back(exchange);
        let complete = self.open.len().saturating_sub(MAX_OPEN);
        self.open.drain(..complete).collect()
    }

    /// Reads a line of a rollout: `token_count` has the usage of the last
    /// request, in which the input includes cached tokens.
    fn rollout(&mut self, value: &Value, line: usize) -> Option<Exchange> {
        if text(value, &["type"]).as_deref() == Some("session_meta") {
            self.session = text(value, &["payload", "id"]);
        }
        if text(value, &["payload", "type"]).as_deref() != Some("token_count") {
            return None;
        }
        let last = at(value, &["payload", "info", "last_token_usage"])?;
        Some(Exchange {
            line,
            session: self.session.clone(),
            at: value.get("timestamp").and_then(time::read),
            provider: Some("openai".to_owned()),
            usage: Usage::from_any_vendor(last),
            ..Exchange::default()
        })
    }

    /// Returns the responses that no further line follows.
    pub(super) fn finish(&mut self) -> Vec<Exchange> {
        self.open.drain(..).collect()
    }
}
