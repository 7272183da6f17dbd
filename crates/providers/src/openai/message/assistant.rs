//! The message of the model: its text, its calls, and its reasoning.
//!
//! ```text
//! text "a", cited text "b", tool_use, text "c"
//! → {"role":"assistant","content":"ab\n\nc","tool_calls":[…]}
//! ```

use std::borrow::Cow;

use aside_messages::wire::{ContentBlock, Text};

use super::MessageWriter;
use super::shape::{Call, Called, Content, Message};
use crate::inner_form::is_continued;
use crate::loss::Reason;
use crate::names::{ID, NAME};
use crate::options::Reasoning;
use crate::refused::RefusedError;
use crate::result_text::join;

impl MessageWriter<'_, '_> {
    /// Returns the message of the model; `None` if nothing is left of it.
    ///
    /// The pieces of a text that was split at its citations are joined as they are, all
    /// other texts with a blank line. Calls lose their position among the texts, since the
    /// wire has one list of calls. Redacted thinking is always left out.
    pub(super) fn assistant<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
    ) -> Result<Option<Message<'a>>, RefusedError> {
        let mut texts: Vec<Vec<Cow<'a, str>>> = Vec::new();
        let mut thinking: Vec<Cow<'a, str>> = Vec::new();
        let mut message = Message::new("assistant", None);
        let mut before: Option<&Text> = None;
        for (place, block) in blocks.iter().enumerate() {
            let previous = before.take();
            match block {
                ContentBlock::Text(text) if text.text.trim().is_empty() => {
                    before = previous;
                    self.sink.lose(index, place, Reason::BlankText);
                }
                ContentBlock::Text(text) => {
                    if text.citations.is_some() {
                        self.sink.lose(index, place, Reason::Citations);
                    }
                    before = Some(text);
                    let piece = Cow::Borrowed(&*text.text);
                    match texts.last_mut() {
                        Some(last) if previous.is_some_and(|it| is_continued(it, text)) => {
                            last.push(piece);
                        }
                        _ => texts.push(vec![piece]),
                    }
                }
                ContentBlock::ToolUse(call) => message.tool_calls.push(Call {
                    id: self.sink.names.call_id(&call.id, ID)?,
                    r#type: "function",
                    function: Called {
                        name: self.sink.names.shorten(&call.name, NAME)?,
                        arguments: call.input.get(),
                    },
                }),
                ContentBlock::Thinking(block) if self.writer.reasoning == Reasoning::Passed => {
                    thinking.push(Cow::Borrowed(&block.thinking));
                }
                ContentBlock::RedactedThinking(block) => {
                    let reason = match Reason::of_thinking(&block.data) {
                        other @ (Reason::Phase | Reason::Summary) => other,
                        _ => Reason::Thinking,
                    };
                    self.sink.lose(index, place, reason);
                }
                ContentBlock::Thinking(_) => self.sink.lose(index, place, Reason::Thinking),
                _ => self.sink.lose(index, place, Reason::UnknownBlock),
            }
        }
        if !texts.is_empty() {
            let texts = texts.into_iter().map(|pieces| join(pieces, "")).collect();
            message.content = Some(Content::Text(join(texts, "\n\n")));
        }
        if !thinking.is_empty() {
            message.reasoning_content = Some(join(thinking, "\n\n"));
        }
        // The message of an assistant must not be empty; thinking alone is.
        if message.content.is_none() && message.tool_calls.is_empty() {
            return Ok(None);
        }
        Ok(Some(message))
    }
}
