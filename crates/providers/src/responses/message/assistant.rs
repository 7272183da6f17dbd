//! The items of a message of the model.

use std::borrow::Cow;

use aside_messages::wire::{ContentBlock, Text};

use super::MessageWriter;
use crate::inner_form::is_continued;
use crate::loss::Reason;
use crate::names::{CALL_ID, NAME};
use crate::refused::RefusedError;
use crate::responses::item::Item;
use crate::responses::reasoning::{Reasoning, Sealed, unseal};
use crate::result_text::join;

impl MessageWriter<'_, '_, '_> {
    /// Returns the items of a message of the model: reasoning is directly before its
    /// item.
    ///
    /// ```text
    /// redacted_thinking "openai-responses:{…phase…}", text  → assistant message with the phase
    /// thinking signed "openai-responses:{…item…}", tool_use → reasoning item, function_call
    /// redacted_thinking "openai-responses:{…compaction…}"   → compaction item
    /// text, text                                            → two assistant messages
    /// text, cited text                                      → one assistant message
    /// ```
    ///
    /// Reasoning of other providers is left out, as is reasoning without an item after
    /// it, which the wire refuses. Both are reported.
    pub(super) fn assistant<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
    ) -> Result<Vec<Item<'a>>, RefusedError> {
        let seal = self.form.dialect.seal;
        let mut items: Vec<Item<'a>> = Vec::with_capacity(blocks.len());
        // Reasoning that waits for the item that it belongs to.
        let mut waiting: Vec<(usize, Reasoning)> = Vec::new();
        let mut phase = None;
        // Pieces of one text, and the last of them.
        let mut pieces: Vec<Cow<'a, str>> = Vec::new();
        let mut before: Option<&Text> = None;
        // The end closes a text as another block does.
        for (place, block) in blocks.iter().map(Some).chain([None]).enumerate() {
            let continued = match (before, block) {
                (Some(before), Some(ContentBlock::Text(text))) => is_continued(before, text),
                _ => false,
            };
            if !pieces.is_empty() && !continued {
                items.extend(waiting.drain(..).map(|(_, it)| Item::Reasoning(it)));
                let text = join(std::mem::take(&mut pieces), "");
                let phase = phase.take();
                items.push(Item::Assistant { text, phase });
            }
            let Some(block) = block else { break };
            if let ContentBlock::Text(text) = block {
                if text.citations.is_some() {
                    self.sink.lose(index, place, Reason::Citations);
                }
                if text.text.trim().is_empty() {
                    self.sink.lose(index, place, Reason::BlankText);
                } else {
                    pieces.push(Cow::Borrowed(&text.text));
                    before = Some(text);
                }
                continue;
            }
            let signature = match block {
                ContentBlock::ToolUse(call) => {
                    items.extend(waiting.drain(..).map(|(_, it)| Item::Reasoning(it)));
                    items.push(Item::Call {
                        call_id: self.sink.names.call_id(&call.id, CALL_ID)?,
                        name: self.sink.names.shorten(&call.name, NAME)?,
                        arguments: call.input.get(),
                    });
                    continue;
                }
                ContentBlock::Thinking(thinking) => &thinking.signature,
                ContentBlock::RedactedThinking(thinking) => &thinking.data,
                _ => {
                    self.sink.lose(index, place, Reason::UnknownBlock);
                    continue;
                }
            };
            match unseal(seal, signature) {
                Some(Sealed::Reasoning(item)) => waiting.push((place, item)),
                Some(Sealed::Phase(it)) => phase = Some(it),
                Some(Sealed::Compaction(item)) => {
                    items.extend(waiting.drain(..).map(|(_, it)| Item::Reasoning(it)));
                    items.push(Item::Compaction(item));
                }
                None if signature.starts_with(seal) => {
                    self.sink.lose(index, place, Reason::UnreadableReasoning);
                }
                None => self.sink.lose(index, place, Reason::of_thinking(signature)),
            }
        }
        // The wire requires an item after its reasoning.
        for (place, _) in waiting {
            self.sink.lose(index, place, Reason::TrailingReasoning);
        }
        Ok(items)
    }
}
