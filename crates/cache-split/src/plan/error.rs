use std::fmt;

use super::MARKER_LIMIT;

/// Markers of the caller's that the API refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    kind: PlanErrorKind,
    places: Vec<String>,
}

/// The kinds of [`PlanError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanErrorKind {
    /// There are more than [`MARKER_LIMIT`].
    TooMany,
    /// One of an hour stands behind one of five minutes.
    Order,
    /// The one on the last block lives for another time than the automatic one.
    Automatic,
}

impl PlanError {
    pub(super) fn new(kind: PlanErrorKind, places: impl IntoIterator<Item = String>) -> Self {
        Self {
            kind,
            places: places.into_iter().collect(),
        }
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> PlanErrorKind {
        self.kind
    }

    /// The JSON paths of the markers concerned; the automatic one is
    /// `cache_control`.
    #[must_use]
    pub fn places(&self) -> &[String] {
        &self.places
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, places } = self;
        match (kind, &places[..]) {
            (PlanErrorKind::Order, [short, long]) => write!(
                f,
                "the cache marker of an hour at {long} stands behind one of five minutes at {short}"
            ),
            (PlanErrorKind::Automatic, [last, automatic]) => write!(
                f,
                "the cache marker at {last}, the last block, has another lifetime than the automatic one at {automatic}"
            ),
            _ => write!(
                f,
                "{} cache markers, and the API takes {MARKER_LIMIT}: {}",
                places.len(),
                places.join(", ")
            ),
        }
    }
}

impl std::error::Error for PlanError {}
