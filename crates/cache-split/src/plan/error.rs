//! The error of a plan: the markers of the caller that the API would refuse.

use std::fmt;

use super::MARKER_LIMIT;

/// The caller's markers violate a rule of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    /// The violated rule.
    kind: PlanErrorKind,
    /// The JSON paths of the markers concerned, in the order of the message.
    places: Vec<String>,
}

/// The rule that a [`PlanError`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanErrorKind {
    /// There are more than four markers.
    TooMany,
    /// A marker of one hour comes after one of five minutes.
    Order,
    /// The marker on the last block and the automatic one have different
    /// lifetimes.
    Automatic,
}

impl PlanError {
    pub(super) fn new(kind: PlanErrorKind, places: impl IntoIterator<Item = String>) -> Self {
        Self {
            kind,
            places: places.into_iter().collect(),
        }
    }

    /// Returns the violated rule.
    #[must_use]
    pub fn kind(&self) -> PlanErrorKind {
        self.kind
    }

    /// Returns the JSON paths of the markers concerned; that of the automatic
    /// one is `cache_control`.
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
