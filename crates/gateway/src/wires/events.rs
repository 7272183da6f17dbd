//! JSON objects with their members in wire order, and a stream's frames.

use serde::Serialize;
use serde_json::value::RawValue;

/// A JSON value as text.
pub(super) type Raw = Box<RawValue>;

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

/// An object under construction.
#[derive(Debug, Default)]
pub(super) struct Object(String);

impl Object {
    pub(super) fn with(mut self, key: &str, value: impl Serialize) -> Self {
        let comma = if self.0.is_empty() { "" } else { "," };
        self.0 += &format!("{comma}\"{key}\":{}", json(&value));
        self
    }

    /// Adds a member that may be absent.
    pub(super) fn given(self, key: &str, value: Option<impl Serialize>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    pub(super) fn end(self) -> Raw {
        RawValue::from_string(format!("{{{}}}", self.0)).expect("the members are JSON")
    }
}

/// A stream's frames, in order.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    /// Each frame as sent, with its final blank line.
    pub(crate) frames: Vec<String>,
    /// How many frames follow the last block's last delta. A stream that breaks
    /// off ends before them.
    pub(crate) tail: usize,
}

impl Frames {
    /// Returns the frames without those after the last delta.
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

/// Writes a value whose keys are strings, which cannot fail.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the value is JSON")
}
