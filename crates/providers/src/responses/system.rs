//! The system prompt: a first item, or `instructions`.
//!
//! ```json
//! {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "…"}]}
//! ```
//!
//! Only the item has content parts, which can have cache breakpoints.

use std::borrow::Cow;

use aside_messages::encode::BlockRef;
use aside_messages::wire::ContentBlock;

use super::part::{Part, Placed, write_parts};
use crate::body_writer::Slot;
use crate::inner_form::system_text;
use crate::result_text::join;

/// Returns the system prompt as one text, with blank lines between its blocks; `None`
/// without text.
pub(super) fn instructions(system: &[ContentBlock]) -> Option<String> {
    let texts: Vec<_> = system.iter().filter_map(system_text).map(Cow::Borrowed).collect();
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
            part: Part::Text { text: system_text(block)?.into() },
            at: Some(BlockRef::System(index)),
            marker: block.cache_control(),
        })
    };
    let parts: Vec<_> = system.iter().enumerate().filter_map(placed).collect();
    if parts.is_empty() {
        return false;
    }
    out.extend_from_slice(b"{\"type\":\"message\",\"role\":\"developer\",\"content\":");
    write_parts(out, &parts, breakpoints, slots);
    out.push(b'}');
    true
}
