//! Converts a message into items.

use std::borrow::Cow;

use aside_messages::encode::BlockRef;
use aside_messages::wire::{ContentBlock, Message, Role, ToolResult};

use super::form::Form;
use super::item::{Call, Item, Output};
use super::part::{Part, Placed};
use super::reasoning::{Reasoning, Sealed, unseal};
use super::tool_changes::{Change, Offer, ToolChanges};
use crate::conversion::{MARKERS, Numbered, Sink};
use crate::inner_form::{in_order_of_calls, is_of_model};
use crate::join::join;
use crate::loss::{ConversionLoss, Reason};
use crate::names::{CALL_ID, NAME};
use crate::parameters::{is_turn_scoped, message_effort};
use crate::refused::Refused;
use crate::result_text::ResultText;

/// Converts one message.
pub(super) struct Converted<'w, 's, 'o> {
    pub(super) form: Form,
    pub(super) changes: &'w mut ToolChanges,
    pub(super) sink: &'s mut Sink<'o>,
}

impl Converted<'_, '_, '_> {
    /// Returns the items of a message.
    pub(super) fn items(mut self, numbered: Numbered<'_>) -> Result<Vec<Item<'_>>, Refused> {
        let Numbered {
            index,
            message,
            before,
            tools,
        } = numbered;
        let offer = self.form.offer(tools);
        self.markers(message);
        match message.role {
            Role::Assistant => self.assistant(index, &message.content),
            Role::System => Ok(self.developer(index, message, offer)),
            Role::User | Role::Other(_) => {
                let calls = before.map_or(&[][..], |message| &message.content);
                self.user(index, &message.content, calls, offer)
            }
        }
    }

    /// Reports markers of the request's own that have no place.
    fn markers(&mut self, message: &Message) {
        let has_slot = |block: &ContentBlock| {
            let of_input = message.role != Role::Assistant;
            self.form.traits.breakpoints && of_input && Part::of(block).is_some()
        };
        let is_lost = |block: &&ContentBlock| match block {
            // Its parts may hold the marker.
            ContentBlock::ToolResult(result) if self.form.traits.breakpoints => {
                result.cache_control.is_some() && ResultText::of(result).is_empty()
            }
            block => block.cache_control().is_some() && !has_slot(block),
        };
        if message.content.iter().any(|block| is_lost(&block)) {
            let what = self.form.markers_lost();
            self.sink.losses.push(ConversionLoss::new(MARKERS, what));
        }
    }

    fn assistant<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
    ) -> Result<Vec<Item<'a>>, Refused> {
        let seal = self.form.dialect.seal;
        let mut items: Vec<Item<'a>> = Vec::with_capacity(blocks.len());
        // Reasoning that waits for the item that it belongs to.
        let mut waiting: Vec<(usize, Reasoning)> = Vec::new();
        let mut phase = None;
        // Texts next to each other are one.
        let mut pieces: Vec<Cow<'a, str>> = Vec::new();
        for (place, block) in blocks.iter().enumerate() {
            if let ContentBlock::Text(text) = block {
                match text.text.trim().is_empty() {
                    true => self.lose(index, place, Reason::BlankText),
                    false => pieces.push(Cow::Borrowed(&text.text)),
                }
                continue;
            }
            if !pieces.is_empty() {
                items.extend(waiting.drain(..).map(|(_, it)| Item::Reasoning(it)));
                let text = join(std::mem::take(&mut pieces), "");
                let phase = phase.take();
                items.push(Item::Assistant { text, phase });
            }
            let sealed = match block {
                ContentBlock::ToolUse(call) => {
                    items.extend(waiting.drain(..).map(|(_, it)| Item::Reasoning(it)));
                    items.push(Item::Call(Call {
                        r#type: "function_call",
                        call_id: self.sink.names.call_id(&call.id, CALL_ID)?,
                        name: self.sink.names.shorten(&call.name, NAME)?,
                        arguments: call.input.get(),
                    }));
                    continue;
                }
                ContentBlock::Thinking(thinking) => unseal(seal, &thinking.signature),
                ContentBlock::RedactedThinking(thinking) => unseal(seal, &thinking.data),
                _ => {
                    self.lose(index, place, Reason::UnknownBlock);
                    continue;
                }
            };
            match sealed {
                Some(Sealed::Reasoning(item)) => waiting.push((place, item)),
                Some(Sealed::Phase(it)) => phase = Some(it),
                None => self.lose(index, place, Reason::ForeignThinking),
            }
        }
        if !pieces.is_empty() {
            items.extend(waiting.drain(..).map(|(_, it)| Item::Reasoning(it)));
            let text = join(pieces, "");
            items.push(Item::Assistant { text, phase });
        }
        // The wire requires an item after its reasoning.
        for (place, _) in waiting {
            self.lose(index, place, Reason::TrailingReasoning);
        }
        Ok(items)
    }

    /// A system message, in its place.
    fn developer<'a>(
        &mut self,
        index: usize,
        message: &'a Message,
        offer: Offer<'_>,
    ) -> Vec<Item<'a>> {
        let mut items = Vec::new();
        let mut added = Vec::new();
        if let Some(effort) = message_effort(message) {
            match self.form.traits.configuration_updates {
                true => items.push(Item::ConfigurationUpdate(effort)),
                false => self.lose_key(index, "output_config", Reason::MessageEffort),
            }
        }
        if is_turn_scoped(message) {
            self.lose_key(index, "clear_at", Reason::ClearAt);
        }
        let mut parts = Vec::new();
        for (place, block) in message.content.iter().enumerate() {
            match block {
                ContentBlock::Text(_) => self.part(index, place, block, &mut parts),
                _ => match self.changes.apply(block, offer) {
                    Some(Change::Defined(tool)) => added.push(tool),
                    Some(Change::Allowed) => {}
                    Some(Change::Lost(reason)) => self.lose(index, place, reason),
                    None => self.lose(index, place, Reason::UnknownBlock),
                },
            }
        }
        if !added.is_empty() {
            items.push(Item::AdditionalTools(added));
        }
        if !parts.is_empty() {
            let role = "developer";
            items.push(Item::Message { role, parts });
        }
        items
    }

    fn user<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
        calls: &[ContentBlock],
        offer: Offer<'_>,
    ) -> Result<Vec<Item<'a>>, Refused> {
        let mut items = Vec::new();
        let mut added = Vec::new();
        for (place, result) in in_order_of_calls(blocks, calls) {
            // A tool that a search found, and that there is not, is text only.
            let found = self.changes.apply_result(result, offer).into_iter();
            added.extend(found.filter_map(|change| match change {
                Change::Defined(tool) => Some(tool),
                Change::Allowed | Change::Lost(_) => None,
            }));
            items.push(Item::Output {
                call_id: self.sink.names.call_id(&result.tool_use_id, CALL_ID)?,
                output: self.output(index, place, result),
            });
        }
        if !added.is_empty() {
            items.push(Item::AdditionalTools(added));
        }
        let mut parts = Vec::new();
        for (place, block) in blocks.iter().enumerate() {
            match block {
                ContentBlock::ToolResult(_) => {}
                _ if is_of_model(block) => self.lose(index, place, Reason::NotOfUser),
                _ => self.part(index, place, block, &mut parts),
            }
        }
        if !parts.is_empty() {
            let role = "user";
            items.push(Item::Message { role, parts });
        }
        Ok(items)
    }

    fn part<'a>(
        &mut self,
        index: usize,
        place: usize,
        block: &'a ContentBlock,
        parts: &mut Vec<Placed<'a>>,
    ) {
        match Part::of(block) {
            Some(part) if part.is_blank() => self.lose(index, place, Reason::BlankText),
            Some(part) => parts.push(Placed {
                part,
                at: Some(at(index, place)),
                marker: block.cache_control(),
            }),
            None => self.lose(index, place, Reason::UnknownBlock),
        }
    }

    /// The output of a call: a string, or parts if it has media or may hold a
    /// marker.
    fn output<'a>(&mut self, index: usize, place: usize, result: &'a ToolResult) -> Output<'a> {
        let ResultText {
            text,
            media,
            left_out,
        } = ResultText::of(result);
        for inner in left_out {
            let path = format_args!("messages[{index}].content[{place}].content[{inner}]");
            self.sink.losses.push(Reason::UnknownBlock.at(path));
        }
        let text = match (result.is_error, &*text) {
            (Some(true), "") => Cow::Borrowed("Error"),
            (Some(true), text) => Cow::Owned(format!("Error: {text}")),
            _ => text,
        };
        let has_parts = self.form.traits.breakpoints && !text.is_empty();
        if media.is_empty() && !has_parts {
            return Output::Text(text);
        }
        let unmarked = |part| Placed {
            part,
            at: None,
            marker: None,
        };
        let text = (!text.is_empty()).then_some(Part::Text { text });
        let media = media.into_iter().filter_map(Part::of);
        let mut parts: Vec<_> = text.into_iter().chain(media).map(unmarked).collect();
        // The marker of a result marks its end.
        if let Some(last) = parts.last_mut() {
            last.at = Some(at(index, place));
            last.marker.clone_from(&result.cache_control);
        }
        Output::Parts(parts)
    }

    fn lose(&mut self, message: usize, block: usize, reason: Reason) {
        let path = format_args!("messages[{message}].content[{block}]");
        self.sink.losses.push(reason.at(path));
    }

    fn lose_key(&mut self, message: usize, key: &str, reason: Reason) {
        let path = format_args!("messages[{message}].{key}");
        self.sink.losses.push(reason.at(path));
    }
}

fn at(message: usize, block: usize) -> BlockRef {
    BlockRef::Message { message, block }
}
