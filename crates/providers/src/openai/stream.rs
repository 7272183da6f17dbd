//! Reads streams of Chat Completions.
//!
//! A stream is a list of chunks and `[DONE]`. This wire has no events when a block starts or ends;
//! `Blocks` infers them from the order in which pieces arrive. The usage arrives after the stop
//! reason, so `finish` emits the end.

mod received;

use std::borrow::Cow;

use aside_models::usage::Chat;

use super::numbers::Numbers;
use crate::blocks::{Blocks, MAX_CALLS};
use crate::error_body::ErrorBody;
use crate::event::{End, Event};
use crate::names::Names;
use crate::provider_spec::ChatDialect;
use crate::read::{Text, filled};
use crate::read_events::ReadEvents;
use crate::stop_reason::StopReason;
use crate::stream_error::MAX_LINE_BYTES;
use crate::stream_error::{StreamError, StreamErrorKind, parse};
use crate::usage::ReportedUsage;

use self::received::{Choice, Chunk, Content, ToolCall, arguments_text};

#[derive(Debug)]
pub(crate) struct Reader {
    /// How the server counts reasoning.
    dialect: ChatDialect,
    blocks: Blocks,
    /// True after `[DONE]`.
    is_done: bool,
    /// The last reported stop reason.
    finish: Option<StopReason>,
    /// The reported usage: some servers report parts of it, or zeros, in later chunks.
    usage: Chat,
    /// Finds which call a piece belongs to.
    numbers: Numbers,
    /// The calls by their numbers.
    calls: Vec<Call>,
}

/// What is known about a call so far.
#[derive(Debug, Default)]
struct Call {
    /// The id, if one arrived before the name.
    id: Option<String>,
    /// Input that arrived before the name, because a block needs a name to begin.
    waiting: String,
    /// The call's key in `blocks`, once its name is known.
    key: Option<usize>,
    /// True for a custom tool: its text becomes the input `{"input":"…"}`, which is closed when the
    /// stream ends.
    is_custom: bool,
}

impl Reader {
    /// Creates a reader for the response to one request, whose `names` it needs.
    pub(crate) fn new(dialect: ChatDialect, names: Names) -> Self {
        Self {
            dialect,
            blocks: Blocks::new(names),
            is_done: false,
            finish: None,
            usage: Chat::default(),
            numbers: Numbers::default(),
            calls: Vec::new(),
        }
    }
}

impl ReadEvents for Reader {
    /// Returns true once the message start was emitted.
    fn has_begun(&self) -> bool {
        self.blocks.has_begun()
    }

    /// Returns true after `[DONE]`, which some servers do not send.
    fn is_complete(&self) -> bool {
        self.is_done
    }

    /// Reads the `data` in one event: a chunk, or `[DONE]`. Anything after `[DONE]` is ignored.
    ///
    /// # Errors
    ///
    /// When the data is malformed, is not a chunk, or has an `error`; or when there are too many
    /// calls or waiting bytes.
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
            return Err(StreamError::in_place_of("expected choices, found none", json));
        }
        self.blocks.introduce(filled(&chunk.id), filled(&chunk.model), out);
        self.usage.update(chunk.usage.unwrap_or_default());
        let choices = chunk.choices.unwrap_or_default();
        // Azure first reports on the prompt, in a chunk without names.
        if !choices.is_empty() {
            self.blocks.begin_answer(out);
        }
        for choice in choices {
            // One choice is requested, so ignore others.
            if choice.index.unwrap_or(0) == 0 {
                self.choice(choice, out)?;
            }
        }
        Ok(())
    }

    /// Closes the blocks and emits the end.
    ///
    /// # Errors
    ///
    /// When there was neither a stop reason nor `[DONE]`, or no chunk with an id or a choice: the
    /// stream ended early. Or when a call has no name.
    fn finish(&mut self, out: &mut Vec<Event>) -> Result<(), StreamError> {
        if !self.blocks.is_introduced() || (self.finish.is_none() && !self.is_done) {
            return Err(StreamError::new(StreamErrorKind::Ended));
        }
        for call in &self.calls {
            match call.key {
                Some(key) if call.is_custom => self.blocks.input(key, TEXT_END, out)?,
                Some(_) => {}
                None => {
                    return Err(StreamError::malformed("expected the name of a called function"));
                }
            }
        }
        let reason = self.finish.take().unwrap_or(StopReason::EndTurn);
        let billed = if self.dialect.counts_reasoning {
            aside_models::Usage::from(&self.usage)
        } else {
            self.usage.with_reasoning()
        };
        let (stop_reason, usage) = (Some(reason), ReportedUsage::from(billed));
        self.blocks.finish(End { stop_reason, usage, ..End::default() }, out);
        Ok(())
    }
}

impl Reader {
    /// Adds the pieces in this order: thinking, text, refusal, calls.
    fn choice(&mut self, choice: Choice<'_>, out: &mut Vec<Event>) -> Result<(), StreamError> {
        if let Some(message) = choice.delta.or(choice.message.map(|it| *it)) {
            let Content { thinking, text } = message.content;
            let thoughts = [message.reasoning_content, message.reasoning].into_iter().flatten();
            let mut thoughts = thoughts.chain([Text(thinking.into())]);
            let thought = thoughts.find(|thought| !thought.0.is_empty());
            self.blocks.thinking(thought.unwrap_or_default().0, out)?;
            self.blocks.text(text.0, out)?;
            if let Some(refusal) = filled(&message.refusal) {
                self.blocks.has_refused = true;
                self.blocks.text(refusal, out)?;
            }
            let called = |it| ToolCall { function: Some(it), ..ToolCall::default() };
            let legacy = message.function_call.map(called);
            for call in message.tool_calls.into_iter().flatten().chain(legacy) {
                self.call(&call, out)?;
            }
        }
        if let Some(reason) = filled(&choice.finish_reason) {
            self.finish = Some(stop_reason(reason));
        }
        Ok(())
    }

    /// Adds a call, or a piece. Its input waits until the name is known.
    fn call(&mut self, call: &ToolCall<'_>, out: &mut Vec<Event>) -> Result<(), StreamError> {
        let id = filled(&call.id);
        let called = call.function.as_ref().or(call.custom.as_ref());
        let name = called.and_then(|called| filled(&called.name));
        let input = match called.map(|called| (called.arguments, filled(&called.input))) {
            Some((Some(arguments), _)) => arguments_text(arguments)?,
            Some((None, Some(text))) => Cow::Owned(escaped(text)),
            _ => Cow::Borrowed(""),
        };
        let number = self.numbers.find(call.index, id, name);
        if number == self.calls.len() {
            let is_custom = call.custom.is_some();
            let waiting = if is_custom { TEXT_START.to_owned() } else { String::new() };
            self.calls.push(Call { is_custom, waiting, ..Call::default() });
        }
        if self.calls.len() > MAX_CALLS {
            return Err(StreamError::malformed(format!("more than {MAX_CALLS} calls")));
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
            self.blocks.input(key, &std::mem::take(&mut known.waiting), out)?;
        }
        Ok(())
    }
}

/// What is before and after a custom tool's text in the call's input.
const TEXT_START: &str = r#"{"input":""#;
const TEXT_END: &str = r#""}"#;

/// Returns a piece of text as it is written in a JSON string.
fn escaped(text: &str) -> String {
    let mut json = Vec::new();
    aside_json::escape(&mut json, text);
    String::from_utf8(json).expect("an escaped text is text")
}

/// Converts a `finish_reason` to a stop reason.
fn stop_reason(word: &str) -> StopReason {
    match word {
        "stop" => StopReason::EndTurn,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "length" => StopReason::MaxTokens,
        "content_filter" => StopReason::Refusal,
        _ => StopReason::Other(word.to_owned()),
    }
}
