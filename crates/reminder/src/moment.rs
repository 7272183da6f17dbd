use serde::{Deserialize, Serialize};

use crate::state::ConversationState;

/// A point in a session's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The turn, counted from 0.
    pub turn: u64,
    /// The session's own clock, in milliseconds.
    pub elapsed_ms: u64,
}

impl Moment {
    pub(crate) fn of(state: &ConversationState<'_>) -> Self {
        Self {
            turn: state.turn,
            elapsed_ms: u64::try_from(state.elapsed.as_millis()).unwrap_or(u64::MAX),
        }
    }
}
