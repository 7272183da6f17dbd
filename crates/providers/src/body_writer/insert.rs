//! Inserts markers between a body's bytes.
//!
//! ```text
//! region       …{"type":"input_text","text":"Hi"}…     slot after "Hi"
//! insertion    ,"prompt_cache_breakpoint":{…}
//! segments     …{"type":"input_text","text":"Hi" | ,"prompt_cache_breakpoint":{…} | }…
//! ```
//!
//! The bytes around a marker are shared slices of one allocation: nothing is copied.

use aside_messages::encode::Marker;
use bytes::Bytes;

use super::{BodyWriter, MARKERS, Slot, WriteMessages};
use crate::loss::ConversionLoss;

/// Bytes to insert into one of the body's regions.
pub(super) struct Insertion {
    /// 0 is the head, 1 the closed messages, 2 the tail.
    pub(super) region: usize,
    /// In bytes from where the region starts.
    pub(super) offset: usize,
    /// The marker as JSON object members, with the comma.
    pub(super) bytes: Bytes,
}

impl<W: WriteMessages> BodyWriter<W> {
    /// Returns a request's markers as bytes to insert, in body order. `tail` are the slots after the
    /// closed messages.
    ///
    /// A marker is added to `losses` when its block has no slot or the wire has no markers.
    pub(super) fn insertions(
        &self,
        markers: &[Marker],
        tail: &[Slot],
        losses: &mut Vec<ConversionLoss>,
    ) -> Vec<Insertion> {
        let head = self.head.as_ref().map_or(&[][..], |head| &head.slots);
        let regions = [head, &self.slots, tail];
        let mut insertions = Vec::new();
        for marker in markers {
            let find = |slots: &[Slot]| {
                let found = slots.binary_search_by_key(&marker.at, |slot| slot.at);
                found.ok().map(|index| slots[index].offset)
            };
            let place = (0..).zip(regions).find_map(|(region, slots)| Some((region, find(slots)?)));
            match (place, self.writer.marker(&marker.control)) {
                (Some((region, offset)), Some(bytes)) => {
                    insertions.push(Insertion { region, offset, bytes });
                }
                _ => losses.push(ConversionLoss::new(MARKERS, self.writer.markers_lost())),
            }
        }
        insertions.sort_by_key(|it| (it.region, it.offset));
        insertions
    }
}

/// Puts the insertions, which are in order, between the regions' bytes.
///
/// Linear in the number of segments and insertions; no bytes are copied.
pub(super) fn insert(regions: [Vec<Bytes>; 3], insertions: Vec<Insertion>) -> Vec<Bytes> {
    let mut insertions = insertions.into_iter().peekable();
    let mut segments = Vec::new();
    for (index, region) in (0..).zip(regions) {
        let mut start = 0;
        for mut segment in region {
            let end = start + segment.len();
            while let Some(it) = insertions.next_if(|it| it.region == index && it.offset <= end) {
                let before = segment.split_to(it.offset - start);
                start = it.offset;
                segments.extend([before, it.bytes]);
            }
            start = end;
            segments.push(segment);
        }
    }
    segments
}
