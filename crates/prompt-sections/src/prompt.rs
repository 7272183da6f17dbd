//! The system prompt as named segments.
//!
//! ```text
//! intro        static
//! tone         static
//!              ── boundary ──
//! environment  dynamic
//! ```

use serde::Serialize;

use crate::segment::{Segment, StaticBoundary, Zone};

/// A system prompt: named segments in order, and at most one boundary between
/// static and dynamic zone.
///
/// Static segments always precede dynamic ones, names are unique and no text is
/// blank. You cannot make a prompt from a list of strings: it comes from
/// [`SystemPrompt::builder`], from
/// [`Resolved::prompt`](crate::Resolved::prompt),
/// [`effective`](crate::effective()) or
/// [`simple_prompt`](crate::simple_prompt).
///
/// ```compile_fail
/// let prompt = aside_prompt_sections::SystemPrompt::from(vec!["You review.".to_owned()]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SystemPrompt {
    boundary: StaticBoundary,
    /// Static segments, then dynamic ones.
    segments: Vec<Segment>,
}

impl SystemPrompt {
    /// Builds a prompt from segments with unique names. Drops blank segments,
    /// and moves static segments before dynamic ones.
    pub(crate) fn from_segments(mut segments: Vec<Segment>, boundary: StaticBoundary) -> Self {
        segments.retain(|segment| !segment.text().trim().is_empty());
        segments.sort_by_key(Segment::zone);
        Self { boundary, segments }
    }

    /// Appends a segment, and removes an earlier one with the same name.
    pub(crate) fn with_last(mut self, segment: Segment) -> Self {
        self.segments.retain(|other| other.name() != segment.name());
        self.segments.push(segment);
        Self::from_segments(self.segments, self.boundary)
    }

    /// Puts one more segment at the beginning of its zone; replaces one with
    /// the same name.
    pub(crate) fn with_first(mut self, segment: Segment) -> Self {
        self.segments.retain(|other| other.name() != segment.name());
        self.segments.insert(0, segment);
        Self::from_segments(self.segments, self.boundary)
    }

    /// Returns the segments in order, without the boundary.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &Segment> + ExactSizeIterator {
        self.segments.iter()
    }

    /// Returns the segments in one zone, in order.
    pub fn zone(&self, zone: Zone) -> impl DoubleEndedIterator<Item = &Segment> {
        self.segments().filter(move |segment| segment.zone() == zone)
    }

    /// Returns whether the end of the static zone is marked.
    pub fn boundary(&self) -> StaticBoundary {
        self.boundary
    }

    /// Returns the texts in order, without the boundary.
    pub fn to_strings(&self) -> Vec<String> {
        self.segments().map(|segment| segment.text().to_owned()).collect()
    }
}
