//! A response's items, in order.
//!
//! Items are identified by their position in the output. The first incomplete item is passed on as
//! it arrives, and parts of later ones wait.
//!
//! An item may arrive in pieces, whole when it ends (`response.output_item.done`), and again in the
//! whole response (`response.completed`). Each item is taken once, so this also reads servers that
//! send only one of the three.

mod item;
mod received;

use std::collections::BTreeMap;

pub(super) use item::PartKind;
pub(super) use received::{ReceivedItem, ReceivedPart};

use self::item::Item;
use crate::blocks::Blocks;
use crate::event::{End, Event};
use crate::names::Names;
use crate::stream_error::MAX_LINE_BYTES;
use crate::stream_error::{StreamError, StreamErrorKind};

/// A response with more items is refused.
const MAX_ITEMS: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct Output {
    /// The seal for the provider's reasoning.
    seal: &'static str,
    /// The blocks that items become.
    pub(super) blocks: Blocks,
    /// Incomplete items, and those after them, by position.
    items: BTreeMap<u64, Item>,
    /// The first place that is not complete.
    next: u64,
    /// How many bytes arrived for items that wait.
    waiting: usize,
}

/// A piece of an item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub(super) kind: PartKind,
    /// The part's place in the item.
    pub(super) part: u64,
    /// The delta, or the part's whole text.
    pub(super) text: &'a str,
    /// True if the text is the whole part, not a delta.
    pub(super) is_whole: bool,
}

impl Output {
    /// Creates an empty output, with the request's `names`.
    pub(super) fn new(seal: &'static str, names: Names) -> Self {
        Self { seal, blocks: Blocks::new(names), ..Self::default() }
    }

    /// Takes an item as it begins.
    ///
    /// If it began before, it gets only the members that it did not have.
    ///
    /// # Errors
    ///
    /// When there are more than `MAX_ITEMS` incomplete items.
    pub(super) fn begin(
        &mut self,
        place: u64,
        received: &ReceivedItem<'_>,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        if let Some(item) = self.item(place)? {
            item.begin(received);
        }
        self.advance(out)
    }

    /// Takes a piece, and begins its item if this has not begun.
    ///
    /// # Errors
    ///
    /// When the item is complete and the piece is a delta with text; or when more than
    /// `MAX_LINE_BYTES` wait for an item before it.
    pub(super) fn piece(
        &mut self,
        place: u64,
        piece: Piece<'_>,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        self.blocks.has_refused |= piece.kind == PartKind::Refusal && !piece.text.is_empty();
        let Some(item) = self.item(place)? else {
            return if piece.is_whole || piece.text.is_empty() {
                Ok(())
            } else {
                Err(StreamError::malformed("expected no more of an item that is complete"))
            };
        };
        let taken = item.piece(piece);
        self.advance_with(place, taken, out)
    }

    /// Takes a complete item. If its output was emitted before, it is ignored.
    ///
    /// # Errors
    ///
    /// When there are more than `MAX_ITEMS` incomplete items, or more than `MAX_LINE_BYTES` wait
    /// for an item before this one.
    pub(super) fn complete(
        &mut self,
        place: u64,
        received: &ReceivedItem<'_>,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        let mut refused = false;
        let mut taken = 0;
        if let Some(item) = self.item(place)? {
            taken = item.complete(received, &mut refused);
        }
        self.blocks.has_refused |= refused;
        self.advance_with(place, taken, out)
    }

    /// Emits the output of incomplete items, in order, and the response's end.
    ///
    /// # Errors
    ///
    /// When a call has no name, or the blocks exceed a limit.
    pub(super) fn finish(&mut self, end: End, out: &mut Vec<Event>) -> Result<(), StreamError> {
        while let Some((_, mut item)) = self.items.pop_first() {
            item.write(&mut self.blocks, self.seal, out)?;
            item.close(&mut self.blocks, self.seal, out)?;
        }
        self.blocks.finish(end, out);
        Ok(())
    }

    /// Returns the item at this place; `None` if it was complete before.
    fn item(&mut self, place: u64) -> Result<Option<&mut Item>, StreamError> {
        if place < self.next {
            return Ok(None);
        }
        if self.items.len() >= MAX_ITEMS && !self.items.contains_key(&place) {
            return Err(StreamError::new(StreamErrorKind::TooLong));
        }
        Ok(Some(self.items.entry(place).or_default()))
    }

    /// Emits what is available, unless the new bytes wait for an item before theirs.
    fn advance_with(
        &mut self,
        place: u64,
        new: usize,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        if place == self.next {
            return self.advance(out);
        }
        self.waiting += new;
        if self.waiting > MAX_LINE_BYTES {
            return Err(StreamError::new(StreamErrorKind::TooLong));
        }
        Ok(())
    }

    /// Emits what is available from the next item, and from those after it once it is complete.
    fn advance(&mut self, out: &mut Vec<Event>) -> Result<(), StreamError> {
        while let Some(item) = self.items.get_mut(&self.next) {
            self.blocks.begin_answer(out);
            item.write(&mut self.blocks, self.seal, out)?;
            if !item.is_complete() {
                break;
            }
            item.close(&mut self.blocks, self.seal, out)?;
            self.items.remove(&self.next);
            self.next += 1;
            if self.items.is_empty() {
                self.waiting = 0;
            }
        }
        Ok(())
    }
}
