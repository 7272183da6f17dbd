//! Coding agents' sessions. They have no tools and no system prompt, so there is no body: only
//! usage and times.
//!
//! ```text
//! {"type":"assistant","sessionId":"s","message":{"id":"msg_1","usage":{…}}}       Claude Code
//! {"type":"event_msg","payload":{"type":"token_count","info":{…}}}                Codex
//! {"id":"m","type":"gemini","model":"…","tokens":{…}}                             Gemini CLI
//! {"type":"assistant","sessionId":"s","model":"…","usageMetadata":{…}}            Qwen Code
//! {"id":"m","role":"assistant","sessionID":"s","modelID":"…","tokens":{…}}        opencode
//! {"info":{…},"messages":[{"info":{"id":"m",…},"parts":[…]}]}                     its export
//! ```
//!
//! Claude Code and Gemini CLI write a response several times with one id while the usage grows: the
//! last one counts. Several responses may be open at once, for example from sub-agents.
//!
//! Most of a session's bytes are tool results, so a line is not parsed into a value: only the
//! members that matter are.

mod failure;
mod line;
mod rollout;

use std::collections::{HashMap, VecDeque};

use aside_models::usage::{Billed, GeminiCli, OpenCode};
use serde_json::value::RawValue;

use self::line::{Line, Message, is, is_true, object, sent, text};
use self::rollout::Rollout;
use super::{Fault, not_json};
use crate::agent::Agent;
use crate::exchange::Exchange;

#[derive(Debug, Default)]
pub(super) struct Transcript {
    /// Responses that may get another line, oldest first; at most `MAX_OPEN`.
    open: VecDeque<Exchange>,
    /// What earlier lines say about the session.
    session: Session,
    /// The first line of the sub-agent that wrote a line, by the ids of both.
    sidechains: HashMap<String, String>,
    rollout: Rollout,
}

/// What a session says once, for the lines that follow.
#[derive(Debug, Default)]
struct Session {
    id: Option<String>,
    project: Option<String>,
    subagent: Option<String>,
    /// True if the conversation was replaced since the latest response.
    is_compacted: bool,
}

/// How many responses may be written at the same time: Claude Code runs ten tasks at once. One
/// more response completes the oldest one.
const MAX_OPEN: usize = 64;

impl Transcript {
    /// Reads a line; returns responses that are complete.
    pub(super) fn read(&mut self, line: &[u8], number: usize) -> Result<Vec<Exchange>, Fault> {
        let line: Line<'_> = match serde_json::from_slice(line) {
            Ok(line) => line,
            // Something other than an object, or a doubled key.
            Err(error) if error.is_data() => return Ok(Vec::new()),
            Err(error) => return Err(not_json(error)),
        };
        if let Some(messages) = line.messages {
            return Ok(self.document(&line, messages));
        }
        Ok(self.line(&line, number))
    }

    fn line(&mut self, line: &Line<'_>, number: usize) -> Vec<Exchange> {
        let sidechain = self.sidechain(line);
        let found = if line.payload.is_some() {
            self.rollout.read(line)
        } else if line.tokens.is_some() {
            self.tokens(line)
        } else if is(line.kind, "assistant") {
            self.assistant(line)
        } else {
            self.state(line);
            failure::retried(line)
        };
        let Some(mut exchange) = found else {
            return Vec::new();
        };
        exchange.line = number;
        let compacted = exchange.usage.is_some() && std::mem::take(&mut self.session.is_compacted);
        exchange.is_compacted |= compacted;
        exchange.session = exchange.session.or_else(|| self.session.id.clone());
        exchange.project = exchange.project.or_else(|| self.session.project.clone());
        let subagent = exchange.subagent.or(sidechain);
        exchange.subagent = subagent.or_else(|| self.session.subagent.clone());
        self.add(exchange)
    }

    /// Adds a response, or replaces the one with its id.
    fn add(&mut self, exchange: Exchange) -> Vec<Exchange> {
        let is_same = |it: &&mut Exchange| it.id.is_some() && it.id == exchange.id;
        if let Some(open) = self.open.iter_mut().find(is_same) {
            // The first line's time is nearest to the request.
            let (at, line, is_compacted) = (open.at, open.line, open.is_compacted);
            *open = Exchange { at, line, is_compacted, ..exchange };
            return Vec::new();
        }
        self.open.push_back(exchange);
        let complete = self.open.len().saturating_sub(MAX_OPEN);
        self.open.drain(..complete).collect()
    }

    /// Keeps what a line that is no response says about the session.
    fn state(&mut self, line: &Line<'_>) {
        if is_true(line.is_compact_summary)
            || is(line.subtype, "compact_boundary")
            || is(line.subtype, "chat_compression")
        {
            self.session.is_compacted = true;
        }
        // Gemini CLI's first line.
        if line.project_hash.is_some() {
            self.session.id = text(line.session_id);
            self.session.project = text(line.project_hash);
            let is_subagent = is(line.kind_of_session, "subagent");
            self.session.subagent = self.session.id.clone().filter(|_| is_subagent);
        }
    }

    /// Returns the sub-agent of a line that does not name it, as Claude Code wrote them until
    /// 2.0: each line names its parent, and the sub-agent's first has none.
    fn sidechain(&mut self, line: &Line<'_>) -> Option<String> {
        if !is_true(line.is_sidechain) || line.agent_id.is_some() {
            return None;
        }
        let Some(id) = text(line.uuid) else {
            return text(line.session_id);
        };
        let parent = text(line.parent_uuid);
        let known = parent.as_ref().and_then(|it| self.sidechains.get(it)).cloned();
        let first = known.or(parent).unwrap_or_else(|| id.clone());
        self.sidechains.insert(id, first.clone());
        Some(first)
    }

    /// Reads a response from Claude Code or Qwen Code.
    fn assistant(&mut self, line: &Line<'_>) -> Option<Exchange> {
        let message: Message<'_> = object(line.message).unwrap_or_default();
        let (agent, usage) = match line.usage_metadata {
            Some(usage) => (Agent::QwenCode, usage),
            None => (Agent::ClaudeCode, message.usage?),
        };
        let mut exchange = Exchange {
            agent: Some(agent),
            subagent: text(line.agent_id),
            session: text(line.session_id).or_else(|| text(line.session_id_snake)),
            project: text(line.cwd),
            id: text(message.id).or_else(|| text(line.uuid)),
            request_id: text(line.request_id),
            model: text(message.model).or_else(|| text(line.model)),
            diagnostics: message.cache_miss_reason(),
            ..sent(line.timestamp)
        };
        if is_true(line.is_api_error) {
            return Some(failure::response(exchange, line, &message));
        }
        // The agent wrote it itself.
        if is(message.model, "<synthetic>") {
            return None;
        }
        exchange.bill(Some(Billed::from_any_vendor(usage)?));
        Some(exchange)
    }

    /// Reads a response from Gemini CLI or opencode.
    fn tokens(&self, line: &Line<'_>) -> Option<Exchange> {
        if !is(line.role, "assistant") {
            let usage: GeminiCli = object(line.tokens)?;
            let mut exchange = Exchange {
                agent: Some(Agent::GeminiCli),
                id: text(line.id),
                provider: Some("gemini".to_owned()),
                model: text(line.model),
                ..sent(line.timestamp)
            };
            exchange.bill(Some((&usage).into()));
            return Some(exchange);
        }
        let usage: OpenCode = object(line.tokens)?;
        let mut exchange = Exchange {
            agent: Some(Agent::OpenCode),
            session: text(line.session_id_upper),
            project: line.directory(),
            id: text(line.id),
            provider: text(line.provider_id),
            model: text(line.model_id),
            ..sent(line.created())
        };
        match line.error {
            Some(error) => Some(failure::named(exchange, error)),
            None => {
                exchange.bill(Some((&usage).into()));
                Some(exchange)
            }
        }
    }

    /// Reads a session that is one JSON value: from Gemini CLI, as earlier versions write it, or
    /// from `opencode export`.
    fn document(&mut self, line: &Line<'_>, messages: &RawValue) -> Vec<Exchange> {
        self.state(line);
        let messages: Vec<Line<'_>> = serde_json::from_str(messages.get()).unwrap_or_default();
        let numbered = messages.iter().zip(1..);
        numbered
            .flat_map(|(message, number)| {
                let exported: Option<Line<'_>> = object(message.info);
                self.line(exported.as_ref().unwrap_or(message), number)
            })
            .collect()
    }

    /// Returns the responses that get no further line.
    pub(super) fn finish(&mut self) -> Vec<Exchange> {
        self.open.drain(..).collect()
    }
}
