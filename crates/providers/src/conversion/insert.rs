//! Markers between the bytes of a body.

use bytes::Bytes;

/// Bytes to insert into a region of a body.
pub(super) struct Insertion {
    pub(super) region: usize,
    pub(super) offset: usize,
    pub(super) bytes: Bytes,
}

/// Puts the insertions, which are in order, between the bytes of the regions.
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
