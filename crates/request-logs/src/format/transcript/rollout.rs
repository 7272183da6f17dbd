//! Codex rollouts: events in a `payload`.
//!
//! `token_count` has the latest request's usage and the session's total. Codex writes it again
//! whenever its limits change, so when the total did not grow there was no request. A fork begins
//! with the lines of the session that it continues, and continues its total, too: together with
//! the first of these sessions, a total names a request in all of them.
//!
//! Codex writes `token_count` only after a response's tools have ended, so a request has the time
//! of its response's first line. Earlier versions have no `token_usage_record`, and may write the
//! items of a response after its `token_count`: what was written before a result is then not of the
//! response that the next `token_count` ends.
//!
//! ```text
//! {"type":"session_meta","payload":{"id":"r","cwd":"/src","source":"cli"}}
//! {"type":"turn_context","payload":{"model":"gpt-5.5","cwd":"/src"}}
//! {"type":"compacted","payload":{"message":"…"}}
//! {"type":"response_item","payload":{"type":"function_call","name":"exec_command",…}}
//! {"type":"token_usage_record","payload":{"response_id":"resp_1","usage":{…}}}
//! {"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{…},
//!  "last_token_usage":{…}}}}
//! ```

use std::time::Duration;

use aside_models::usage::Billed;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::line::{Line, is, object, sent, text};
use crate::agent::Agent;
use crate::exchange::Exchange;

#[derive(Debug, Default)]
pub(super) struct Rollout {
    session: Option<String>,
    /// The session that this one's history began in.
    root: Option<String>,
    subagent: Option<String>,
    /// The session whose sub-agent this is.
    parent: Option<String>,
    project: Option<String>,
    model: Option<String>,
    /// The total in the latest `token_count`, as written.
    total: Option<String>,
    is_compacted: bool,
    /// The time of the first line of the response whose `token_count` is yet to come.
    at: Option<Duration>,
    /// True if that response has its `token_usage_record`.
    is_recorded: bool,
}

#[derive(Default, Deserialize)]
struct Payload<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    forked_from_id: Option<&'a RawValue>,
    cwd: Option<&'a RawValue>,
    model: Option<&'a RawValue>,
    source: Option<&'a RawValue>,
    role: Option<&'a RawValue>,
    info: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Info<'a> {
    #[serde(borrow)]
    total_token_usage: Option<&'a RawValue>,
    last_token_usage: Option<&'a RawValue>,
}

impl Payload<'_> {
    /// Returns true for an item that the model wrote.
    fn is_output(&self) -> bool {
        let is_call = self.kind.is_some_and(|it| it.get().ends_with("_call\""));
        is_call || is(self.kind, "reasoning") || is(self.role, "assistant")
    }
}

impl Rollout {
    /// Reads a line; returns a request if the line has a new one's usage.
    pub(super) fn read(&mut self, line: &Line<'_>) -> Option<Exchange> {
        let is_item = is(line.kind, "response_item");
        if is_item && self.is_recorded {
            return None;
        }
        let payload: Payload<'_> = object(line.payload)?;
        self.is_recorded |= is(line.kind, "token_usage_record");
        if self.is_recorded || (is_item && payload.is_output()) {
            self.at = self.at.or_else(|| sent(line.timestamp).at);
        } else if is_item {
            self.at = None;
        }
        if is(line.kind, "session_meta") {
            let id = text(payload.id);
            let is_copied = id.is_some() && id == self.root && id != self.session;
            self.root = text(payload.forked_from_id).or_else(|| id.clone());
            if !is_copied {
                let is_subagent = payload.source.is_some_and(|it| it.get().contains("subagent"));
                self.subagent = id.clone().filter(|_| is_subagent);
                self.parent = object(payload.source).and_then(|source: Value| {
                    let parent = source.pointer("/subagent/thread_spawn/parent_thread_id");
                    parent?.as_str().map(str::to_owned)
                });
                self.session = id;
            }
        }
        if is(line.kind, "session_meta") || is(line.kind, "turn_context") {
            self.project = text(payload.cwd).or_else(|| self.project.take());
            self.model = text(payload.model).or_else(|| self.model.take());
            // An interrupted response has no `token_count`.
            (self.at, self.is_recorded) = (None, false);
        }
        if is(line.kind, "compacted") || is(payload.kind, "context_compacted") {
            self.is_compacted = true;
        }
        if !is(payload.kind, "token_count") {
            return None;
        }
        let info: Info<'_> = object(payload.info)?;
        let total = info.total_token_usage.map(|it| it.get().to_owned());
        if total.is_some() && total == self.total {
            return None;
        }
        let id = self.root.as_ref().zip(info.total_token_usage.and_then(total_tokens));
        let id = id.map(|(root, tokens)| format!("{root}/{tokens}"));
        self.total = total;
        let billed = Billed::from_any_vendor(info.last_token_usage?)?;
        self.is_recorded = false;
        let sent = sent(line.timestamp);
        let mut exchange = Exchange {
            at: self.at.take().or(sent.at),
            agent: Some(Agent::Codex),
            request_id: id.clone(),
            id,
            session: self.parent.clone().or_else(|| self.session.clone()),
            forked_from: self.root.clone().filter(|it| Some(it) != self.session.as_ref()),
            subagent: self.subagent.clone(),
            project: self.project.clone(),
            provider: Some("openai".to_owned()),
            model: self.model.clone(),
            is_compacted: std::mem::take(&mut self.is_compacted),
            ..sent
        };
        exchange.bill(Some(billed));
        Some(exchange)
    }
}

fn total_tokens(usage: &RawValue) -> Option<u64> {
    #[derive(Deserialize)]
    struct Total {
        total_tokens: u64,
    }
    object::<Total>(Some(usage)).map(|it| it.total_tokens)
}
