//! Editing bytes: inserting and removing members of objects.
//!
//! An edit never parses or writes a value: it removes one member's bytes with one comma, or inserts
//! `,"cache_control":…` before a closing brace. So an agent's numbers, escapes and white space stay
//! as they are.

use std::ops::Range;

use aside_messages::wire::CacheControl;

use super::scan::MarkerSpan;

/// Edits in one text, in any order.
#[derive(Debug)]
pub(crate) struct Edits<'a> {
    body: &'a [u8],
    edits: Vec<(Range<usize>, Vec<u8>)>,
}

impl<'a> Edits<'a> {
    pub(crate) fn new(body: &'a [u8]) -> Self {
        Self {
            body,
            edits: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.edits.len()
    }

    pub(crate) fn remove(&mut self, marker: &MarkerSpan) {
        self.edits.push((marker.range.clone(), Vec::new()));
    }

    /// Inserts a member, such as `"key":1`, before the brace that ends an object with members.
    pub(crate) fn insert(&mut self, end: usize, member: &str) {
        let brace = end - 1;
        self.edits
            .push((brace..brace, format!(",{member}").into_bytes()));
    }

    /// Inserts a marker before the brace that ends an object with members.
    pub(crate) fn mark(&mut self, end: usize, control: &CacheControl) {
        let control = serde_json::to_string(control).expect("a marker is JSON");
        self.insert(end, &format!("\"cache_control\":{control}"));
    }

    pub(crate) fn apply(&self) -> Vec<u8> {
        let mut edits: Vec<_> = self.edits.iter().collect();
        edits.sort_by_key(|(range, _)| range.start);
        let mut edited = Vec::with_capacity(self.body.len() + 256);
        let mut at = 0;
        for (range, inserted) in edits {
            edited.extend_from_slice(self.body.get(at..range.start).unwrap_or_default());
            edited.extend_from_slice(inserted);
            at = at.max(range.end);
        }
        edited.extend_from_slice(self.body.get(at..).unwrap_or_default());
        edited
    }
}
