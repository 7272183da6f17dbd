//! A stream's frames.

use crate::object::Raw;

/// How to transfer a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Transfer {
    /// As one JSON value.
    #[default]
    Whole,
    /// As server-sent events.
    Events,
    /// As a JSON array, with an element for each event (Gemini without
    /// `alt=sse`).
    Array,
}

/// A stream's frames, in order.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    /// Each frame as sent, with its final blank line.
    pub(crate) frames: Vec<String>,
    /// How many frames follow the last block's last delta, or its beginning if it has none. A
    /// stream that breaks off ends before them.
    pub(crate) tail: usize,
}

impl Frames {
    /// Returns the frames without the tail.
    pub(crate) fn broken_off(mut self) -> Vec<String> {
        let kept = self.frames.len().saturating_sub(self.tail);
        self.frames.truncate(kept);
        self.frames
    }
}

/// Writes a frame that has only data.
pub(super) fn data(value: &Raw) -> String {
    format!("data: {value}\n\n")
}
