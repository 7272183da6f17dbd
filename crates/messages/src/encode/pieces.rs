//! Finding the bytes in a block that come from elsewhere, such as a reminder at
//! its end.

use std::ops::Range;

use super::measure::Measure;
use crate::source::{Extent, Source};
use crate::wire::ContentBlock;

/// Finds each piece's bytes in a block whose JSON ends at `end`, in order. A
/// piece that names a part that the block does not have is left out: its bytes
/// stay the owner's.
pub(super) fn find_pieces(
    block: &ContentBlock,
    pieces: &[(Source, Extent)],
    end: usize,
) -> Vec<(Source, Range<usize>)> {
    if pieces.is_empty() {
        return Vec::new();
    }
    let mut measure = Measure::new(block, end);
    let mut last_first: Vec<&(Source, Extent)> = pieces.iter().collect();
    last_first.sort_by_key(|(_, extent)| std::cmp::Reverse(order(extent)));
    let mut found: Vec<_> = last_first
        .into_iter()
        .filter_map(|(source, extent)| {
            let range = match extent {
                Extent::Content(index) => measure.content(*index)?,
                Extent::Text(range) => text(&mut measure, None, range)?,
                Extent::ContentText(index, range) => text(&mut measure, Some(*index), range)?,
            };
            Some((source.clone(), range))
        })
        .collect();
    found.reverse();
    found
}

/// Returns the JSON bytes for a range in an unescaped text. The end is measured
/// first, because positions are cheap in falling order.
fn text(
    measure: &mut Measure<'_>,
    content: Option<usize>,
    range: &Range<usize>,
) -> Option<Range<usize>> {
    let end = measure.text(content, range.end)?;
    let start = measure.text(content, range.start)?;
    Some(start..end)
}

/// Orders extents within a block by content block, then by byte.
fn order(extent: &Extent) -> (usize, usize) {
    match extent {
        Extent::Text(range) => (0, range.start),
        Extent::Content(index) => (*index, 0),
        Extent::ContentText(index, range) => (*index, range.start),
    }
}
