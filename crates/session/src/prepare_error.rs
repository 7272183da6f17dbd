//! The errors of preparing a request: the conversation cannot be lowered, or
//! the caller's own markers break the rules of the API.

use std::fmt;

use aside_cache_split::PlanError;
use aside_messages::encode::MarkerError;
use aside_messages::lower::LowerError;

/// An error of preparing a request.
///
/// The conversation is not changed, and nothing of it counts as sent.
#[derive(Debug)]
pub struct PrepareError {
    cause: Cause,
}

/// The error of the step that failed.
#[derive(Debug)]
enum Cause {
    /// An entry cannot become a message.
    Lower(LowerError),
    /// The markers of the caller leave the plan invalid.
    Plan(PlanError),
    /// Two markers are on one block, or one is on a block that does not exist.
    Marker(MarkerError),
}

impl From<LowerError> for PrepareError {
    fn from(error: LowerError) -> Self {
        let cause = Cause::Lower(error);
        Self { cause }
    }
}

impl From<PlanError> for PrepareError {
    fn from(error: PlanError) -> Self {
        let cause = Cause::Plan(error);
        Self { cause }
    }
}

impl From<MarkerError> for PrepareError {
    fn from(error: MarkerError) -> Self {
        let cause = Cause::Marker(error);
        Self { cause }
    }
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Lower(error) => error.fmt(f),
            Cause::Plan(error) => error.fmt(f),
            Cause::Marker(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PrepareError {}
