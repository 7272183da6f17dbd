//! Editing bytes: inserting and removing members of objects.
//!
//! An edit never parses or writes a value: it removes one member's bytes with one comma, or inserts
//! `,"cache_control":…` before a closing brace. So an agent's numbers, escapes and white space stay
//! as they are.

use std::ops::Range;

use aside_messages::wire::CacheControl;
use bytes::Bytes;

/// Edits in one text, in any order.
#[derive(Clone, Debug)]
pub(crate) struct Edits<'a> {
    text: &'a [u8],
    edits: Vec<(Range<usize>, Vec<u8>)>,
}

impl<'a> Edits<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, edits: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.edits.len()
    }

    pub(crate) fn remove(&mut self, range: Range<usize>) {
        self.edits.push((range, Vec::new()));
    }

    pub(crate) fn replace(&mut self, range: Range<usize>, text: String) {
        self.edits.push((range, text.into_bytes()));
    }

    /// Inserts a marker before the brace that ends an object with members.
    pub(crate) fn mark(&mut self, brace: usize, control: &CacheControl) {
        let control = serde_json::to_string(control).expect("a marker is JSON");
        self.replace(brace..brace, format!(",\"cache_control\":{control}"));
    }

    /// Returns where a byte of the edited text is in the text, if nothing is inserted.
    pub(crate) fn source(&self, edited: usize) -> usize {
        self.sorted()
            .iter()
            .fold(edited, |at, (range, _)| at + if range.start <= at { range.len() } else { 0 })
    }

    /// Returns a part of the text after the edits in it; `None` if there are none.
    pub(crate) fn within(&self, part: Range<usize>) -> Option<Vec<u8>> {
        let inside = self.edits.iter().filter(|(range, _)| part.contains(&range.start));
        let moved = inside.map(|(range, inserted)| {
            let range = range.start - part.start..range.end - part.start;
            (range, inserted.clone())
        });
        let edits: Vec<_> = moved.collect();
        let text = &self.text[part.clone()];
        (!edits.is_empty()).then(|| Edits { text, edits }.apply())
    }

    pub(crate) fn apply(&self) -> Vec<u8> {
        let mut edited = Vec::with_capacity(self.text.len() + 256);
        for (kept, inserted) in self.parts() {
            edited.extend_from_slice(&self.text[kept]);
            edited.extend_from_slice(inserted);
        }
        edited
    }

    /// Returns the edited text in parts, without a copy of what stays. `text` is the one to edit.
    pub(crate) fn segments(&self, text: &Bytes) -> Vec<Bytes> {
        let parts = self.parts().into_iter();
        let segments =
            parts.flat_map(|(kept, inserted)| [text.slice(kept), Bytes::copy_from_slice(inserted)]);
        segments.filter(|it| !it.is_empty()).collect()
    }

    /// Returns what stays of the text, each part with what is inserted after it.
    fn parts(&self) -> Vec<(Range<usize>, &[u8])> {
        let mut at = 0;
        let mut parts = Vec::with_capacity(self.edits.len() + 1);
        for (range, inserted) in self.sorted() {
            parts.push((at..range.start.max(at), &**inserted));
            at = at.max(range.end);
        }
        parts.push((at..self.text.len(), &[]));
        parts
    }

    fn sorted(&self) -> Vec<&(Range<usize>, Vec<u8>)> {
        let mut edits: Vec<_> = self.edits.iter().collect();
        edits.sort_by_key(|(range, _)| range.start);
        edits
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Draws edits of a text with this length that do not overlap: a removal, or an insertion.
    fn edits(places: &[(usize, usize)], length: usize) -> Vec<(Range<usize>, Vec<u8>)> {
        let mut end = 0;
        let mut edits = Vec::new();
        for (skipped, removed) in places {
            let start = end + skipped;
            end = start + removed;
            if end <= length {
                let inserted = if *removed == 0 { &b"+"[..] } else { b"" };
                edits.push((start..end, inserted.to_vec()));
            }
        }
        edits
    }

    proptest! {
        #[test]
        fn parts_of_a_text_are_edited_like_the_text(
            text in "[a-z]{0,24}",
            places in vec((0_usize..6, 0_usize..4), 0..5),
            at in 0_usize..24,
        ) {
            let text = text.into_bytes();
            let edits = Edits { text: &text, edits: edits(&places, text.len()) };
            let at = at.min(text.len());
            let crosses = |(range, _): &(Range<usize>, Vec<u8>)| range.start < at && at < range.end;
            // An insertion at the end is in no part.
            let is_last = |(range, _): &(Range<usize>, Vec<u8>)| range.start == text.len();
            if !edits.edits.iter().any(|it| crosses(it) || is_last(it)) {
                let part = |part: Range<usize>| {
                    edits.within(part.clone()).unwrap_or_else(|| text[part].to_vec())
                };
                prop_assert_eq!([part(0..at), part(at..text.len())].concat(), edits.apply());
            }
            let joined = edits.segments(&Bytes::from(text.clone())).concat();
            prop_assert_eq!(joined, edits.apply());
        }

        #[test]
        fn a_byte_that_removals_leave_is_found_again(
            text in "[a-z]{0,24}",
            places in vec((0_usize..6, 1_usize..4), 0..5),
        ) {
            let text = text.into_bytes();
            let cuts = Edits { text: &text, edits: edits(&places, text.len()) };
            for (at, byte) in cuts.apply().iter().enumerate() {
                prop_assert_eq!(text[cuts.source(at)], *byte);
            }
        }
    }
}
