//! Writes the conversation, message by message.
//!
//! The writer's state after the closed messages is kept between requests, so each closed message is
//! converted once. To write the messages that may still change, use a clone.

use aside_messages::wire::{CacheControl, Message, Tool};
use bytes::Bytes;

use super::form::Form;
use super::message::MessageWriter;
use super::part::breakpoint;
use super::tool_changes::{ToolChanges, may_change_tools};
use crate::body_writer::{Numbered, Sink, WriteMessages};
use crate::provider_spec::ResponsesDialect;
use crate::refused::RefusedError;

#[derive(Clone, Debug)]
pub(crate) struct Writer {
    /// The model's and the provider's forms.
    pub(super) form: Form,
    /// Which tools the messages so far have added and removed.
    pub(super) changes: ToolChanges,
    /// True until an item was written: the first needs no comma.
    is_empty: bool,
}

impl Writer {
    /// Creates a writer for a conversation without messages.
    pub(crate) fn new(model: &str, dialect: ResponsesDialect) -> Self {
        Self { form: Form::of(model, dialect), changes: ToolChanges::default(), is_empty: true }
    }
}

impl WriteMessages for Writer {
    fn write(&mut self, message: Numbered<'_>, sink: &mut Sink<'_>) -> Result<(), RefusedError> {
        // Changes in this message are found while it is converted.
        let mut changes = std::mem::take(&mut self.changes);
        let items = MessageWriter { form: self.form, changes: &mut changes, sink }.items(message);
        self.changes = changes;
        let items = items?;
        let first_slot = sink.slots.len();
        for item in items {
            if !std::mem::replace(&mut self.is_empty, false) {
                sink.out.push(b',');
            }
            item.write(self.form.traits.breakpoints, sink)?;
        }
        // Outputs are in call order, not in block order.
        sink.slots[first_slot..].sort_by_key(|slot| slot.at);
        Ok(())
    }

    fn scan(&mut self, message: &Message, tools: &[Tool]) {
        if may_change_tools(message) {
            let offer = self.form.offer(tools);
            self.changes.follow(message, offer);
        }
    }

    fn changes_head(&self) -> bool {
        !self.changes.removed().is_empty()
    }

    fn fits(&self, tools: &[Tool]) -> bool {
        self.changes.fits(tools)
    }

    fn close(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"]}");
    }

    fn marker(&self, control: &CacheControl) -> Option<Bytes> {
        self.form.traits.breakpoints.then(|| breakpoint(control))
    }

    fn markers_lost(&self) -> &'static str {
        self.form.markers_lost()
    }
}
