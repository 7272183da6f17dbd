//! Converts a message into items.

mod assistant;
mod output;

use aside_messages::encode::BlockRef;
use aside_messages::wire::{ContentBlock, Message, Role};

use self::output::is_marker_lost;
use super::form::Form;
use super::item::Item;
use super::part::{Part, Placed};
use super::tool_changes::{Change, Offer, ToolChanges};
use crate::body_writer::{MARKERS, Numbered, Sink};
use crate::inner_form::in_order_of_calls;
use crate::loss::{ConversionLoss, Reason};
use crate::names::CALL_ID;
use crate::parameters::{is_turn_scoped, message_effort};
use crate::refused::RefusedError;
use crate::result_text::has_hidden_marker;
use crate::tool_schemas::repairs;
use crate::user_part::UserPart;

/// Converts one message.
pub(super) struct MessageWriter<'w, 's, 'o> {
    /// The model's and the provider's forms.
    pub(super) form: Form,
    /// How tools changed before this message; its own changes are added.
    pub(super) changes: &'w mut ToolChanges,
    /// Takes the losses, and has the names and ids.
    pub(super) sink: &'s mut Sink<'o>,
}

impl MessageWriter<'_, '_, '_> {
    /// Converts a message to items; none if nothing is left in it.
    ///
    /// # Errors
    ///
    /// When two names, or two ids, would be the same once shortened.
    pub(super) fn items(mut self, numbered: Numbered<'_>) -> Result<Vec<Item<'_>>, RefusedError> {
        let Numbered { index, message, before, tools } = numbered;
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

    /// Reports the request's own markers that have no place.
    fn markers(&mut self, message: &Message) {
        let has_slot = |block: &ContentBlock| {
            let of_input = message.role != Role::Assistant;
            self.form.traits.breakpoints && of_input && Part::of(block).is_some()
        };
        let is_lost = |block: &&ContentBlock| match block {
            ContentBlock::ToolResult(result) => is_marker_lost(result, self.form.traits),
            block => {
                has_hidden_marker(block) || (block.cache_control().is_some() && !has_slot(block))
            }
        };
        if message.content.iter().any(|block| is_lost(&block)) {
            let what = self.form.markers_lost();
            self.sink.losses.push(ConversionLoss::new(MARKERS, what));
        }
    }

    /// Converts a system message where it is, to a changed effort, added tools and a `developer`
    /// message, each only if the message has it.
    fn developer<'a>(
        &mut self,
        index: usize,
        message: &'a Message,
        offer: Offer<'_>,
    ) -> Vec<Item<'a>> {
        let mut items = Vec::new();
        let mut added = Vec::new();
        if let Some(effort) = message_effort(message) {
            if self.form.traits.updates {
                items.push(Item::ConfigurationUpdate(effort));
            } else {
                self.sink.lose_key(index, "output_config", Reason::MessageEffort);
            }
        }
        if is_turn_scoped(message) {
            self.sink.lose_key(index, "clear_at", Reason::ClearAt);
        }
        let mut parts = Vec::new();
        for (place, block) in message.content.iter().enumerate() {
            match block {
                ContentBlock::Text(_) => self.part(index, place, block, &mut parts),
                _ => match self.changes.apply(block, offer) {
                    Some(Change::Defined(tool, repaired)) => {
                        let at = format!("messages[{index}].content[{place}].tool.definition");
                        let repaired = repaired.iter();
                        let losses = repaired.flat_map(|it| repairs(&at, &tool.name, it));
                        self.sink.losses.extend(losses);
                        added.push(tool);
                    }
                    Some(Change::Allowed) => {}
                    Some(Change::Lost(reason)) => self.sink.lose(index, place, reason),
                    None => self.sink.lose(index, place, Reason::UnknownBlock),
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

    /// Converts a user message to one output for each result, in the same order as `calls`, the
    /// tools that the results refer to, and a message with all other blocks.
    fn user<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
        calls: &[ContentBlock],
        offer: Offer<'_>,
    ) -> Result<Vec<Item<'a>>, RefusedError> {
        let mut items = Vec::new();
        let mut added = Vec::new();
        for (place, result) in in_order_of_calls(blocks, calls) {
            // If the request does not have a found tool, it is only part of the text.
            let found = self.changes.apply_result(result, offer).into_iter();
            added.extend(found.filter_map(|change| match change {
                Change::Defined(tool, _) => Some(tool),
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
            if matches!(block, ContentBlock::ToolResult(_)) {
                continue;
            }
            self.part(index, place, block, &mut parts);
        }
        if !parts.is_empty() {
            let role = "user";
            items.push(Item::Message { role, parts });
        }
        Ok(items)
    }

    /// Adds a block's part, and where a cache marker can go. Blank texts, and blocks without a
    /// part, are reported.
    fn part<'a>(
        &mut self,
        index: usize,
        place: usize,
        block: &'a ContentBlock,
        parts: &mut Vec<Placed<'a>>,
    ) {
        let part = Part::of_user(block, (index, place), self.sink);
        let marker = block.cache_control();
        parts.extend(part.map(|part| Placed { part, at: Some(at(index, place)), marker }));
    }
}

/// Returns a block's position, as cache markers name it.
fn at(message: usize, block: usize) -> BlockRef {
    BlockRef::Message { message, block }
}
