//! The output of a call, and the cache markers in it.

use std::borrow::Cow;

use aside_messages::wire::{CacheControl, ContentBlock, ToolResult};

use super::{MessageWriter, at};
use crate::responses::item::Output;
use crate::responses::models::Traits;
use crate::responses::part::{Part, Placed};
use crate::result_text::{Piece, ResultText, has_hidden_marker};
use crate::user_part::UserPart;

impl MessageWriter<'_, '_, '_> {
    /// Returns the output of a call: a string, or parts if it has media or may hold a
    /// marker, in the order of the result. The first text of a failed result begins with `Error:`, since the wire has no
    /// flag for errors.
    ///
    /// With breakpoints every output with text has parts, also without a marker, so that
    /// a marker that a later request places there does not change its form.
    pub(super) fn output<'a>(
        &mut self,
        index: usize,
        place: usize,
        result: &'a ToolResult,
    ) -> Output<'a> {
        let read = Part::of_result(result, (index, place), self.sink.losses);
        let mut pieces = read.in_order();
        let first = pieces.iter_mut().find_map(|piece| match piece {
            Piece::Text(text) => Some(text),
            Piece::Media(_) => None,
        });
        let marked = |text| ResultText::marked_as_error(text, result);
        match first {
            Some(text) => *text = marked(std::mem::take(text)),
            None => pieces.insert(0, Piece::Text(marked(Cow::Borrowed("")))),
        }
        let has_breakpoints = self.form.traits.breakpoints;
        if let [Piece::Text(text)] = &mut pieces[..]
            && (text.is_empty() || !has_breakpoints)
        {
            return Output::Text(std::mem::take(text));
        }
        let parts = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Text(text) => (!text.is_empty()).then_some(Part::Text { text }),
            Piece::Media(block) => Part::of(block),
        });
        let unmarked = |part| Placed { part, at: None, marker: None };
        let mut parts: Vec<_> = parts.map(unmarked).collect();
        // The marker of a result marks its end.
        if let Some(last) = parts.last_mut() {
            last.at = Some(at(index, place));
            last.marker = marker_of(result);
        }
        Output::Parts(parts)
    }
}

/// Returns the marker at the end of a result: its own, or that of its last
/// block.
fn marker_of(result: &ToolResult) -> Option<CacheControl> {
    let last = result.content.blocks().last();
    let of_last = || last.and_then(ContentBlock::cache_control);
    result.cache_control.clone().or_else(of_last)
}

/// Returns true if a marker in a result has no place: only the end of the last
/// part can hold one.
pub(super) fn is_marker_lost(result: &ToolResult, traits: Traits) -> bool {
    let inner = result.content.blocks();
    let before = inner.split_last().map_or(inner, |(_, before)| before);
    let has_end = traits.breakpoints && !ResultText::of(result).is_empty();
    before.iter().any(|it| it.cache_control().is_some())
        || inner.iter().any(has_hidden_marker)
        || (marker_of(result).is_some() && !has_end)
}
