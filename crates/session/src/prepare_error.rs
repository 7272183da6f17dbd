//! The errors of preparing a request: the conversation cannot be lowered, or
//! the caller's own markers break the rules of the API.

use std::fmt;

use aside_cache_split::PlanError;
use aside_messages::encode::MarkerError;
use aside_messages::lower::LowerError;

/// An error of preparing a request.
#[derive(Debug)]
pub struct PrepareError {
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    Lower(LowerError),
    Plan(PlanError),
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
