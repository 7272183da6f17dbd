//! Streams of Chat Completions.
//!
//! A stream is a list of chunks and `[DONE]`. The wire has no events for the start and
//! the end of a block; `Blocks` makes them from the order of the pieces. The end of the
//! response is emitted by `finish`, since the usage arrives after the stop reason.

mod received;

use std::borrow::Cow;

use super::numbers::Numbers;
use crate::blocks::{Blocks, MAX_CALLS};
use crate::error_body::ErrorBody;
use crate::event::Event;
use crate::names::Names;
use crate::provider_spec::ChatDialect;
use crate::read::filled;
use crate::read_events::ReadEvents;
use crate::stop_reason::StopReason;
use crate::stream_error::MAX_LINE_BYTES;
use crate::stream_error::{StreamError, StreamErrorKind, parse};
use crate::usage::ReportedUsage;

use self::received::{Choice, Chunk, ToolCall, arguments_text};

/// Reads chunks of a completion.
#[derive(Debug)]
pub(crate) struct Reader {
    /// The server's way to count reasoning.
    dialect: ChatDialect,
    /// The blocks of the response.
    blocks: Blocks,
    /// True after `[DONE]`.
    is_done: bool,
    /// The last reported stop reason.
    finish: Option<StopReason>,
    /// True if the model wrote a refusal.
    has_refused: bool,
    /// The last reported usage.
    usage: ReportedUsage,
    /// Finds the call that a piece belongs to.
    numbers: Numbers,
    /// The calls by their numbers.
    calls: Vec<Call>,
}

/// A call of the response, as far as it is known.
#[derive(Debug, Default)]
struct Call {
    /// The id, if one arrived before the name.
    id: Option<String>,
    /// The input that arrived before the name, since a block cannot begin without one.
    waiting: String,
    /// The key of the call in `blocks`, once the name is known.
    key: Option<usize>,
}

impl Reader {
    /// Creates a reader for the response to a request. `names` are those of the request.
    pub(crate) fn new(dialect: ChatDialect, names: Names) -> Self {
        Self {
            dialect,
            blocks: Blocks::new(names),
            is_done: false,
            finish: None,
            has_refused: false,
            usage: ReportedUsage::default(),
            numbers: Numbers::default(),
            calls: Vec::new(),
        }
    }
}

impl ReadEvents for Reader {
    /// Returns true once the start of the message was emitted.
    fn has_begun(&self) -> bool {
        self.blocks.has_begun()
    }

    /// Returns true after `[DONE]`, which some servers do not send.
    fn is_complete(&self) -> bool {
        self.is_done
    }

    /// Reads the `data` of one event: a chunk, or `[DONE]`. Anything after `[DONE]` is
    /// ignored.
    ///
    /// # Errors
    ///
    /// The data is malformed, is no chunk, or has an `error`; a limit of calls or waiting
    /// bytes is exceeded.
    fn event(&mut self, json: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        if self.is_done {
            return Ok(());
        }
        if json.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let chunk: Chunk<'_> = parse(json)?;
        if let Some(error) = chunk.error.filter(|error| error.get() != "null") {
            let body = ErrorBody::in_json(json)
                .or_else(|| ErrorBody::inner(error.get()))
                .unwrap_or_else(|| ErrorBody::parse(json.as_bytes()));
            return Err(StreamError::new(StreamErrorKind::Provider(body)));
        }
        if !self.blocks.has_begun() && chunk.choices.is_none() && chunk.id.is_none() {
            return Err(match ErrorBody::in_json(json) {
                Some(body) => StreamError::new(StreamErrorKind::Provider(body)),
                None => StreamError::malformed("expected choices, found none"),
            });
        }
        self.blocks
            .introduce(filled(&chunk.id), filled(&chunk.model), out);
        if let Some(tokens) = &chunk.usage {
            let billed = if self.dialect.counts_reasoning {
                tokens.into()
            } else {
                tokens.with_reasoning()
            };
            self.usage = billed.into();
        }
        let choices = chunk.choices.unwrap_or_default();
        // Azure first reports on the prompt, in a chunk without names.
        if !choices.is_empty() {
            self.blocks.begin_answer(out);
        }
        for choice in choices {
            // One choice is requested; others are ignored.
            if choice.index.unwrap_or(0) == 0 {
                self.choice(choice, out)?;
            }
        }
        Ok(())
    }

    /// Emits the end of the response, with its blocks closed.
    ///
    /// # Errors
    ///
    /// There was neither a stop reason nor `[DONE]`, or no chunk with an id or a choice:
    /// the stream ended early. Or a call has no name.
    fn finish(&mut self, out: &mut Vec<Event>) -> Result<(), StreamError> {
        if !self.blocks.is_introduced() || (self.finish.is_none() && !self.is_done) {
            return Err(StreamError::new(StreamErrorKind::Ended));
        }
        if self.calls.iter().any(|call| call.key.is_none()) {
            return Err(StreamError::malformed(
                "expected the name of a called function",
            ));
        }
        let reason = match self.finish.take().unwrap_or(StopReason::EndTurn) {
            StopReason::EndTurn if self.has_refused && !self.blocks.has_calls() => {
                StopReason::Refusal
            }
            reason => reason,
        };
        self.blocks.finish(reason, self.usage.clone(), out);
        Ok(())
    }
}

impl Reader {
    /// Adds the pieces of the choice in the order thinking, text, refusal, calls.
    fn choice(&mut self, choice: Choice<'_>, out: &mut Vec<Event>) -> Result<(), StreamError> {
        if let Some(message) = choice.delta.or(choice.message) {
            let thought = filled(&message.reasoning_content).or(filled(&message.reasoning));
            self.blocks.thinking(thought.unwrap_or_default(), out)?;
            self.blocks
                .text(filled(&message.content).unwrap_or_default(), out)?;
            if let Some(refusal) = filled(&message.refusal) {
                self.has_refused = true;
                self.blocks.text(refusal, out)?;
            }
            for call in message.tool_calls.unwrap_or_default() {
                self.call(&call, out)?;
            }
        }
        if let Some(reason) = filled(&choice.finish_reason) {
            self.finish = Some(stop_reason(reason));
        }
        Ok(())
    }

    /// Adds a call, or a piece of one. The input waits until the name is known.
    fn call(&mut self, call: &ToolCall<'_>, out: &mut Vec<Event>) -> Result<(), StreamError> {
        let id = filled(&call.id);
        let name = call
            .function
            .as_ref()
            .and_then(|function| filled(&function.name));
        let input = match call
            .function
            .as_ref()
            .and_then(|function| function.arguments)
        {
            Some(arguments) => arguments_text(arguments)?,
            None => Cow::Borrowed(""),
        };
        let number = self.numbers.find(call.index, id, name);
        if number == self.calls.len() {
            self.calls.push(Call::default());
        }
        if self.calls.len() > MAX_CALLS {
            return Err(StreamError::malformed(format!(
                "more than {MAX_CALLS} calls"
            )));
        }
        let known = &mut self.calls[number];
        if let Some(key) = known.key {
            return self.blocks.input(key, &input, out);
        }
        known.id = known.id.take().or(id.map(str::to_owned));
        known.waiting.push_str(&input);
        if known.waiting.len() > MAX_LINE_BYTES {
            return Err(StreamError::new(StreamErrorKind::TooLong));
        }
        if let Some(name) = name {
            let key = self.blocks.call(known.id.as_deref(), name, out)?;
            known.key = Some(key);
            self.blocks
                .input(key, &std::mem::take(&mut known.waiting), out)?;
        }
        Ok(())
    }
}

/// Returns the stop reason for a `finish_reason`.
fn stop_reason(word: &str) -> StopReason {
    match word {
        "stop" => StopReason::EndTurn,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "length" => StopReason::MaxTokens,
        "content_filter" => StopReason::Refusal,
        _ => StopReason::Other(word.to_owned()),
    }
}
