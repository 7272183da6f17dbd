//! The errors of preparing a request: the conversation cannot be lowered, or
//! the caller's own markers break the rules of the API.

use aside_cache_split::PlanError;
use aside_messages::encode::MarkerError;
use aside_messages::lower::LowerError;

/// An error of preparing a request.
///
/// The conversation is not changed, and nothing of it counts as sent.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub struct PrepareError {
    cause: Cause,
}

/// The error of the step that failed.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
enum Cause {
    /// An entry cannot become a message.
    Lower(#[from] LowerError),
    /// The markers of the caller leave the plan invalid.
    Plan(#[from] PlanError),
    /// Two markers are on one block, or one is on a block that does not exist.
    Marker(#[from] MarkerError),
}

impl<E: Into<Cause>> From<E> for PrepareError {
    fn from(error: E) -> Self {
        let cause = error.into();
        Self { cause }
    }
}
