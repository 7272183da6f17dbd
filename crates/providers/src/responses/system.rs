//! The system prompt: a first item, or `instructions`.
//!
//! ```json
//! {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "…"}]}
//! ```
//!
//! Only the item has content parts, which can have cache breakpoints.

use aside_messages::encode::BlockRef;
use aside_messages::wire::ContentBlock;

use super::part::{Part, Placed, write_parts};
use crate::body_writer::Slot;
use crate::inner_form::is_attribution;
use crate::result_text::join;
use crate::user_part::UserPart;

/// Returns the texts of the system prompt that are for every provider, and their indices
/// in `system`. The attribution block and blank texts are left out.
pub(super) fn texts(system: &[ContentBlock]) -> impl Iterator<Item = (usize, &ContentBlock)> {
    system.iter().enumerate().filter(|(_, block)| is_text(block))
}

/// Returns true for a block of the system prompt that is for every provider.
pub(super) fn is_text(block: &ContentBlock) -> bool {
    match block {
        ContentBlock::Text(text) => !is_attribution(block) && !text.text.trim().is_empty(),
        _ => false,
    }
}

/// Returns the system prompt as one text, with blank lines between its blocks; `None`
/// without text.
pub(super) fn instructions(system: &[ContentBlock]) -> Option<String> {
    let texts: Vec<_> = texts(system)
        .filter_map(|(_, block)| match block {
            ContentBlock::Text(text) => Some((*text.text).into()),
            _ => None,
        })
        .collect();
    (!texts.is_empty()).then(|| join(texts, "\n\n").into_owned())
}

/// Writes the first item, which holds the system prompt, one part for each text. Returns
/// false, and writes nothing, if there is no text.
///
/// With `breakpoints`, the positions for cache markers are added to `slots`, as offsets
/// in `out`.
pub(super) fn developer_message(
    system: &[ContentBlock],
    breakpoints: bool,
    out: &mut Vec<u8>,
    slots: &mut Vec<Slot>,
) -> bool {
    let placed = |(index, block)| {
        Some(Placed {
            part: Part::of(block)?,
            at: Some(BlockRef::System(index)),
            marker: ContentBlock::cache_control(block),
        })
    };
    let parts: Vec<_> = texts(system).filter_map(placed).collect();
    if parts.is_empty() {
        return false;
    }
    out.extend_from_slice(b"{\"type\":\"message\",\"role\":\"developer\",\"content\":");
    write_parts(out, &parts, breakpoints, slots);
    out.push(b'}');
    true
}
