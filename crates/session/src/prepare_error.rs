//! Why a request cannot be prepared: the conversation cannot be lowered, or the
//! caller's own markers break the API's rules.

use aside_cache_split::PlanError;
use aside_messages::encode::MarkerError;
use aside_messages::lower::LowerError;

/// Why a request cannot be prepared.
///
/// The conversation is unchanged, and nothing in it counts as sent.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PrepareError(Cause);

/// The step that failed.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
enum Cause {
    /// An entry cannot become a message.
    Lower(#[from] LowerError),
    /// The caller's markers leave the plan invalid.
    Plan(#[from] PlanError),
    /// Two markers are on one block, or one is on a block that does not exist.
    Marker(#[from] MarkerError),
}

impl<E: Into<Cause>> From<E> for PrepareError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}
