//! Why a plan fails: the API would refuse the caller's markers.

use std::fmt;

use super::MARKER_LIMIT;

/// Your own markers break an API rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    kind: PlanErrorKind,
    /// The JSON paths of these markers, in the order of the message.
    places: Vec<String>,
}

/// The rule that a [`PlanError`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanErrorKind {
    /// There are more than four markers.
    TooMany,
    /// A one-hour marker comes after a five-minute one.
    Order,
    /// The last block's marker and the automatic one live differently long.
    Automatic,
}

impl PlanError {
    pub(super) fn new(kind: PlanErrorKind, places: impl IntoIterator<Item = String>) -> Self {
        Self { kind, places: places.into_iter().collect() }
    }

    /// Returns which rule is broken.
    #[must_use]
    pub fn kind(&self) -> PlanErrorKind {
        self.kind
    }

    /// Returns the JSON paths of these markers; the automatic one's is
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
                "the cache marker of one hour at {long} comes after one of five minutes at {short}"
            ),
            (PlanErrorKind::Automatic, [last, automatic]) => write!(
                f,
                "the cache marker at {last}, the last block, has another lifetime than the automatic one at {automatic}"
            ),
            _ => write!(
                f,
                "found {} cache markers, expected at most {MARKER_LIMIT}: {}",
                places.len(),
                places.join(", ")
            ),
        }
    }
}

impl std::error::Error for PlanError {}
