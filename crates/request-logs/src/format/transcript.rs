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

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use aside_models::usage::{Billed, GeminiCli, OpenCode};
use aside_models::{Vendor, find};
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
    /// The latest lines; at most `MAX_WRITTEN`.
    written: VecDeque<Written>,
    rollout: Rollout,
}

/// A line that others may follow.
#[derive(Debug)]
struct Written {
    id: String,
    /// When it was written, unless it is a response.
    at: Option<Duration>,
    /// The response that it is, or that it follows.
    response: Option<String>,
}

/// What a session says once, for the lines that follow.
#[derive(Debug, Default)]
struct Session {
    id: Option<String>,
    project: Option<String>,
    subagent: Option<String>,
    /// The threads whose conversations were replaced since their latest responses: sub-agents, or
    /// the session itself.
    compacted: HashSet<Option<String>>,
}

/// How many responses may be written at the same time: Claude Code runs ten tasks at once. One
/// more response completes the oldest one.
const MAX_OPEN: usize = 64;

/// How many lines may be followed by a later one: a rewind goes back by some prompts.
const MAX_WRITTEN: usize = 1_024;

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
        let subagent = self.sidechain(line).or_else(|| text(line.agent_id));
        let subagent = subagent.or_else(|| self.session.subagent.clone());
        let found = if line.payload.is_some() {
            self.rollout.read(line)
        } else if line.tokens.is_some() {
            self.tokens(line)
        } else if is(line.kind, "assistant") {
            self.assistant(line)
        } else {
            self.state(line, &subagent);
            failure::retried(line)
        };
        let Some(mut exchange) = found else {
            return Vec::new();
        };
        exchange.line = number;
        exchange.session = exchange.session.or_else(|| self.session.id.clone());
        exchange.project = exchange.project.or_else(|| self.session.project.clone());
        exchange.subagent = exchange.subagent.or(subagent);
        let is_compacted =
            exchange.usage.is_some() && self.session.compacted.remove(&exchange.subagent);
        exchange.is_compacted |= is_compacted;
        self.add(exchange)
    }

    /// Adds a response, or replaces the one with its id.
    fn add(&mut self, exchange: Exchange) -> Vec<Exchange> {
        let is_same = |it: &&mut Exchange| it.id.is_some() && it.id == exchange.id;
        if let Some(open) = self.open.iter_mut().find(is_same) {
            // The first line's time is nearest to the request.
            let (at, line, is_compacted) = (open.at, open.line, open.is_compacted);
            let previous = open.previous.take();
            *open = Exchange { at, line, is_compacted, previous, ..exchange };
            return Vec::new();
        }
        self.open.push_back(exchange);
        let complete = self.open.len().saturating_sub(MAX_OPEN);
        self.open.drain(..complete).collect()
    }

    /// Keeps what a line that is no response says about the session, or about its sub-agent.
    fn state(&mut self, line: &Line<'_>, subagent: &Option<String>) {
        if is_true(line.is_compact_summary)
            || is(line.subtype, "compact_boundary")
            || is(line.subtype, "chat_compression")
        {
            self.session.compacted.insert(subagent.clone());
        }
        if line.uuid.is_some() {
            let response = self.parent(line).and_then(|it| it.response.clone());
            self.write(line, sent(line.timestamp).at, response);
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

    /// Keeps a line that others may follow.
    fn write(&mut self, line: &Line<'_>, at: Option<Duration>, response: Option<String>) {
        self.written.extend(text(line.uuid).map(|id| Written { id, at, response }));
        self.written.drain(..self.written.len().saturating_sub(MAX_WRITTEN));
    }

    /// Returns the line that this one follows: the latest one, if it names none.
    fn parent(&self, line: &Line<'_>) -> Option<&Written> {
        match text(line.parent_uuid) {
            Some(parent) => self.written.iter().rfind(|it| it.id == parent),
            None => self.written.back(),
        }
    }

    /// Returns when a response's request began, and what it continues. It began when the prompt or
    /// the results before it were written, since the response may have begun minutes later.
    fn begun(&self, line: &Line<'_>) -> Exchange {
        let exchange = sent(line.timestamp);
        let parent = self.parent(line);
        let at = parent.and_then(|it| it.at).into_iter().chain(exchange.at).min();
        Exchange { at, previous: parent.and_then(|it| it.response.clone()), ..exchange }
    }

    /// Returns the directory that the session began in: a command may have left it.
    fn project(&mut self, session: Option<&str>, line: &Line<'_>) -> Option<String> {
        if session.is_none() || self.session.id.as_deref() != session {
            self.session.id = session.map(str::to_owned);
            self.session.project = None;
        }
        self.session.project = self.session.project.take().or_else(|| text(line.cwd));
        self.session.project.clone()
    }

    /// Reads a response from Claude Code or Qwen Code.
    fn assistant(&mut self, line: &Line<'_>) -> Option<Exchange> {
        let message: Message<'_> = object(line.message).unwrap_or_default();
        let (agent, usage) = match line.usage_metadata {
            Some(usage) => (Agent::QwenCode, usage),
            None => (Agent::ClaudeCode, message.usage?),
        };
        let session = text(line.session_id).or_else(|| text(line.session_id_snake));
        let mut exchange = Exchange {
            agent: Some(agent),
            project: self.project(session.as_deref(), line),
            session,
            id: text(message.id).or_else(|| text(line.uuid)),
            request_id: text(line.request_id),
            model: text(message.model).or_else(|| text(line.model)),
            diagnostics: message.cache_miss_reason(),
            ..self.begun(line)
        };
        if is_true(line.is_api_error) {
            return Some(failure::response(exchange, line, &message));
        }
        // The agent wrote it itself.
        if is(message.model, "<synthetic>") {
            return None;
        }
        exchange.bill(Some(Billed::from_any_vendor(usage)?));
        self.write(line, None, exchange.id.clone());
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
                // It has the figure from Anthropic's models, and writes 0 for any other.
                let has_none = exchange.usage.is_some_and(|it| it.written() == 0);
                let facts = find(exchange.model.as_deref().unwrap_or_default()).facts;
                exchange.is_write_missing = has_none && facts.vendor != Vendor::Anthropic;
                Some(exchange)
            }
        }
    }

    /// Reads a session that is one JSON value: from Gemini CLI, as earlier versions write it, or
    /// from `opencode export`.
    fn document(&mut self, line: &Line<'_>, messages: &RawValue) -> Vec<Exchange> {
        self.state(line, &None);
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
