//! Writes the conversation as Chat Completions messages.
//!
//! ```text
//! [user: tool_result a, text] → {"role":"tool","tool_call_id":"a",…}, {"role":"user",…}
//! [assistant: text, tool_use] → {"role":"assistant","content":"…","tool_calls":[…]}
//! [system: text]              → {"role":"developer","content":"…"}
//! ```
//!
//! If nothing is left in a message, it is not written. Every block left out is reported.

mod assistant;
mod result;
mod shape;

use std::borrow::Cow;

use aside_messages::wire::{self, ContentBlock, Role};
use aside_models::find;

use crate::body_writer::{MARKERS, Numbered, Sink, WriteMessages};
use crate::inner_form::{has_marked_block, in_order_of_calls, system_text};
use crate::json::write_json;
use crate::loss::{ConversionLoss, Reason};
use crate::options::Reasoning;
use crate::parameters::{is_turn_scoped, message_effort};
use crate::refused::RefusedError;
use crate::result_text::join;
use crate::user_part::user_parts;

pub(super) use self::shape::Message;

use self::shape::{Content, Part};

/// Writes a request's messages.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    /// The role to send the system prompt and system messages with: `developer` or `system`.
    instructions: &'static str,
    /// Whether to send thinking as `reasoning_content`.
    reasoning: Reasoning,
    /// What to report when a cache marker is lost.
    markers_lost: &'static str,
    /// True until a message was written: the first needs no comma.
    is_empty: bool,
}

/// Converts one message.
struct MessageWriter<'s, 'o> {
    /// A copy, to read its settings.
    writer: Writer,
    sink: &'s mut Sink<'o>,
}

impl Writer {
    /// Creates a writer for a conversation without messages.
    pub(crate) fn new(model: &str, reasoning: Reasoning) -> Self {
        let (instructions, markers_lost) = (instructions(model), markers_lost(model));
        Self { instructions, reasoning, markers_lost, is_empty: true }
    }
}

impl WriteMessages for Writer {
    fn write(&mut self, message: Numbered<'_>, sink: &mut Sink<'_>) -> Result<(), RefusedError> {
        let writer = MessageWriter { writer: self.clone(), sink };
        for message in writer.messages(message)? {
            if !std::mem::replace(&mut self.is_empty, false) {
                sink.out.push(b',');
            }
            write_json(sink.out, &message);
        }
        Ok(())
    }

    fn close(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"]}");
    }

    fn markers_lost(&self) -> &'static str {
        self.markers_lost
    }
}

/// Returns what to report when a cache marker is lost. OpenAI itself gets the models with
/// breakpoints on Responses, so their server here is a compatible one.
pub(super) fn markers_lost(model: &str) -> &'static str {
    if find(model).facts.cache_breakpoints == Some(true) {
        "cache markers are left out: a compatible server may refuse breakpoints"
    } else {
        "cache markers are left out: on Chat Completions the cache finds prefixes by itself"
    }
}

/// Returns the role for a model's instructions: `developer` if the catalogue says that the model
/// has it, else `system`, which every server accepts.
fn instructions(model: &str) -> &'static str {
    match find(model).facts.developer_role {
        Some(true) => "developer",
        _ => "system",
    }
}

/// Returns a message with the system prompt: its texts with a blank line between them, without the
/// attribution block. `None` if there is no text.
pub(super) fn system<'a>(system: &'a [ContentBlock], model: &str) -> Option<Message<'a>> {
    of_texts(instructions(model), system.iter().filter(|it| system_text(it).is_some()))
}

impl MessageWriter<'_, '_> {
    /// Converts one request message to messages, in order; none if nothing is left in it.
    ///
    /// # Errors
    ///
    /// When two names, or two ids, would be the same once shortened.
    fn messages(mut self, numbered: Numbered<'_>) -> Result<Vec<Message<'_>>, RefusedError> {
        let Numbered { index, message, before, .. } = numbered;
        let mut out = Vec::new();
        if has_marked_block(message) {
            self.sink.losses.push(ConversionLoss::new(MARKERS, self.writer.markers_lost));
        }
        match message.role {
            Role::Assistant => out.extend(self.assistant(index, &message.content)?),
            Role::System => out.extend(self.system(index, message)),
            Role::User | Role::Other(_) => {
                let calls = before.map_or(&[][..], |message| &message.content);
                self.user(index, &message.content, calls, &mut out)?;
            }
        }
        Ok(out)
    }

    /// Converts a system message in the conversation; `None` if it has no text. Its effort and
    /// `clear_at` are left out and reported.
    fn system<'a>(&mut self, index: usize, message: &'a wire::Message) -> Option<Message<'a>> {
        if message_effort(message).is_some() {
            self.sink.lose_key(index, "output_config", Reason::MessageEffort);
        }
        if is_turn_scoped(message) {
            self.sink.lose_key(index, "clear_at", Reason::ClearAt);
        }
        for (place, block) in message.content.iter().enumerate() {
            if !matches!(block, ContentBlock::Text(_)) {
                self.sink.lose(index, place, Reason::UnknownBlock);
            }
        }
        of_texts(self.writer.instructions, message.content.iter())
    }

    /// Adds what a user message becomes: a tool message for each result, in the same order as
    /// `calls`, then one user message with everything else and the results' media.
    ///
    /// `calls` is the previous message's content, which has the calls.
    fn user<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
        calls: &[ContentBlock],
        out: &mut Vec<Message<'a>>,
    ) -> Result<(), RefusedError> {
        let mut parts = Vec::new();
        for (place, result) in in_order_of_calls(blocks, calls) {
            out.push(self.result(index, place, result, &mut parts)?);
        }
        parts.extend(user_parts::<Part<'_>>(index, blocks, self.sink));
        if let Some(content) = Content::of(parts) {
            out.push(Message::new("user", Some(content)));
        }
        Ok(())
    }
}

/// Returns a message of the texts that are not blank; `None` if there is none.
fn of_texts<'a>(
    role: &'static str,
    blocks: impl Iterator<Item = &'a ContentBlock>,
) -> Option<Message<'a>> {
    let texts = blocks.filter_map(|block| match block {
        ContentBlock::Text(text) => Some(Cow::Borrowed(&*text.text)),
        _ => None,
    });
    let texts: Vec<_> = texts.filter(|text| !text.trim().is_empty()).collect();
    let content = (!texts.is_empty()).then(|| Content::Text(join(texts, "\n\n")));
    content.map(|content| Message::new(role, Some(content)))
}
