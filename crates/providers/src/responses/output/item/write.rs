//! The output of an item, in the order of its parts.
//!
//! ```text
//! message            for each part, the phase as a sealed block, then a text block
//! reasoning          one thinking block, signed with the whole item at its end
//! function_call      a tool_use block, whose input is emitted as it arrives
//! custom_tool_call   a tool_use block with the input {"input":"…"}, when it is complete
//! other items        nothing
//! ```

use super::{Item, Kind, Part, PartKind};
use crate::blocks::Blocks;
use crate::event::Event;
use crate::responses::reasoning::{seal, seal_phase};
use crate::stream_error::StreamError;

impl Item {
    /// Emits the output that is available before the item is complete. The item must be
    /// the first that is not complete. A custom call and an item of an unknown type emit
    /// nothing here.
    pub(in crate::responses::output) fn write(
        &mut self,
        blocks: &mut Blocks,
        seal: &str,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        match self.kind {
            Kind::Message => self.write_message(blocks, seal, out),
            Kind::Reasoning => self.write_reasoning(blocks, out),
            Kind::Call => self.write_call(blocks, out),
            Kind::CustomCall | Kind::Unknown | Kind::Other => Ok(()),
        }
    }

    /// Emits the text of the parts in order, each as a block of its own. The phase is a
    /// sealed block before each text, since each becomes a message again.
    fn write_message(
        &mut self,
        blocks: &mut Blocks,
        seal: &str,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        while let Some(place) = self.open_place() {
            let Some(part) = self.parts.get_mut(&place) else {
                break;
            };
            if !part.waiting.is_empty() {
                if !std::mem::replace(&mut self.has_written, true)
                    && let Some(phase) = &self.phase
                    && let Some(sealed) = seal_phase(seal, phase)
                {
                    blocks.sealed(&sealed, out)?;
                }
                blocks.text(std::mem::take(&mut part.waiting), out)?;
            }
            if !(part.is_whole || self.is_complete) {
                break;
            }
            self.cursor = place + 1;
            self.has_written = false;
            blocks.end();
        }
        Ok(())
    }

    /// Emits the thinking of the parts in order, in one block, with blank lines between
    /// them.
    fn write_reasoning(
        &mut self,
        blocks: &mut Blocks,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        while let Some(place) = self.open_place() {
            let parts = match self.shown {
                Some(PartKind::Summary) => &mut self.summary,
                _ => &mut self.parts,
            };
            let Some(part) = parts.get_mut(&place) else {
                break;
            };
            if !part.waiting.is_empty() {
                if part.received == part.waiting.len()
                    && std::mem::replace(&mut self.has_written, true)
                {
                    blocks.thinking("\n\n", out)?;
                }
                blocks.thinking(std::mem::take(&mut part.waiting), out)?;
            }
            if !(part.is_whole || self.is_complete) {
                break;
            }
            self.cursor = place + 1;
        }
        Ok(())
    }

    /// Returns the index of the part that is emitted now; `None` if no more parts will
    /// arrive.
    fn open_place(&self) -> Option<u64> {
        let parts = match self.shown {
            Some(PartKind::Summary) => &self.summary,
            _ => &self.parts,
        };
        // A part that has not arrived will not arrive.
        if self.is_complete {
            Some(*parts.range(self.cursor..).next()?.0)
        } else {
            Some(self.cursor)
        }
    }

    /// Begins the call once its name and id are known, and emits the input so far. A call
    /// whose id is missing begins when it is complete, with a generated id.
    fn write_call(&mut self, blocks: &mut Blocks, out: &mut Vec<Event>) -> Result<(), StreamError> {
        let key = match (self.key, &self.name) {
            (Some(key), _) => key,
            (None, Some(name)) => {
                // The id may arrive with the complete item.
                if self.call_id.is_none() && !self.is_complete {
                    return Ok(());
                }
                let key = blocks.call(self.call_id.as_deref(), name, out)?;
                *self.key.insert(key)
            }
            (None, None) => return Ok(()),
        };
        let Some(part) = self.parts.get_mut(&0) else {
            return Ok(());
        };
        blocks.input(key, &part.waiting, out)?;
        part.waiting.clear();
        Ok(())
    }

    /// Emits the rest of the item, and ends its block. Reasoning is signed here, since
    /// the whole item is known only now; without text it becomes a sealed block, and
    /// without encrypted content it gets no signature.
    ///
    /// # Errors
    ///
    /// A call has no name, or a limit of the blocks is exceeded.
    pub(in crate::responses::output) fn close(
        &mut self,
        blocks: &mut Blocks,
        seal_with: &str,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        // No further text arrives.
        self.is_complete = true;
        match self.kind {
            Kind::Message => {
                self.write_message(blocks, seal_with, out)?;
                blocks.end();
                Ok(())
            }
            Kind::Reasoning => {
                self.write_reasoning(blocks, out)?;
                let signature = seal(seal_with, &self.reasoning);
                match (self.reasoning.encrypted_content.is_empty(), self.has_written) {
                    (false, true) => blocks.sign(&signature, out),
                    (false, false) => blocks.sealed(&signature, out),
                    (true, _) => {
                        blocks.end();
                        Ok(())
                    }
                }
            }
            Kind::Call => self.close_call(blocks, out),
            Kind::CustomCall => {
                let part = self.parts.remove(&0).unwrap_or_default();
                let input = serde_json::json!({ "input": part.waiting }).to_string();
                self.parts
                    .insert(0, Part { received: input.len(), waiting: input, is_whole: true });
                self.close_call(blocks, out)
            }
            Kind::Unknown | Kind::Other => Ok(()),
        }
    }

    /// Emits the rest of a call. A call that received no arguments has the input `{}`.
    fn close_call(&mut self, blocks: &mut Blocks, out: &mut Vec<Event>) -> Result<(), StreamError> {
        if self.name.is_none() {
            return Err(StreamError::malformed("expected the name of a called function"));
        }
        self.write_call(blocks, out)?;
        let received = self.parts.get(&0).map_or(0, |part| part.received);
        match self.key {
            // A call without arguments.
            Some(key) if received == 0 => blocks.input(key, "{}", out),
            _ => Ok(()),
        }
    }
}
