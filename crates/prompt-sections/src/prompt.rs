use serde::Serialize;

use crate::segment::{Boundary, Segment, Zone};

/// The boundary as text, for tools that expect a list of strings.
///
/// Only [`SystemPrompt::to_strings_with_boundary`] writes it, and nothing reads it: a section whose
/// text is this very string is a section like any other.
pub const BOUNDARY_TEXT: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/// A system prompt: named segments in order, and at most one boundary between the static and the
/// dynamic zone.
///
/// Static segments always stand before dynamic ones, names are unique and no text is blank. There
/// is no way to make one from a list of strings: it comes from [`SystemPrompt::builder`], from
/// [`Resolved::prompt`](crate::Resolved::prompt), [`effective`](crate::effective()) or
/// [`simple_prompt`](crate::simple_prompt).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SystemPrompt {
    boundary: Boundary,
    segments: Vec<Segment>,
}

/// What a prompt consists of, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A section's text.
    Segment(&'a Segment),
    /// The end of the static zone. It is never sent.
    Boundary,
}

impl SystemPrompt {
    /// The caller vouches for unique names; blank segments are dropped, zones put in order.
    pub(crate) fn from_segments(mut segments: Vec<Segment>, boundary: Boundary) -> Self {
        segments.retain(|segment| !segment.text().trim().is_empty());
        segments.sort_by_key(Segment::zone);
        Self { boundary, segments }
    }

    /// The same prompt with one more segment at its end; one of the same name is replaced.
    pub(crate) fn with_last(mut self, segment: Segment) -> Self {
        self.segments.retain(|other| other.name() != segment.name());
        self.segments.push(segment);
        Self::from_segments(self.segments, self.boundary)
    }

    /// The segments in order, without the boundary.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &Segment> + ExactSizeIterator {
        self.segments.iter()
    }

    /// The segments of one zone, in order.
    pub fn zone(&self, zone: Zone) -> impl DoubleEndedIterator<Item = &Segment> {
        self.segments()
            .filter(move |segment| segment.zone() == zone)
    }

    /// Whether the end of the static zone is marked.
    pub fn boundary(&self) -> Boundary {
        self.boundary
    }

    /// The segments in order, and the boundary, where marked, at its place.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let boundary = match self.boundary {
            Boundary::Marked => Some(Part::Boundary),
            Boundary::Absent => None,
        };
        let fixed = self.zone(Zone::Static).map(Part::Segment);
        let dynamic = self.zone(Zone::Dynamic).map(Part::Segment);
        fixed.chain(boundary).chain(dynamic)
    }

    /// The texts in order, without the boundary.
    pub fn to_strings(&self) -> Vec<String> {
        self.segments()
            .map(|segment| segment.text().to_owned())
            .collect()
    }

    /// The texts in order, with [`BOUNDARY_TEXT`] where the boundary is marked.
    ///
    /// For display and for other tools: the list cannot be read back, since a section may hold the
    /// same text.
    pub fn to_strings_with_boundary(&self) -> Vec<String> {
        self.parts()
            .map(|part| match part {
                Part::Segment(segment) => segment.text().to_owned(),
                Part::Boundary => BOUNDARY_TEXT.to_owned(),
            })
            .collect()
    }
}
