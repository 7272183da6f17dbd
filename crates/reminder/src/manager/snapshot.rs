use serde::{Deserialize, Serialize};

use super::slot::Moment;

/// The counters of a [`Manager`](super::Manager), as JSON:
/// `{"reminders":[{"id","fires","last_fire":{"turn","elapsed_ms"}}]}`, those
/// that never fired left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// One for each reminder that fired, in the order of registration.
    pub reminders: Vec<Counters>,
}

/// How often one reminder fired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// The reminder.
    pub id: String,
    /// How often.
    pub fires: u32,
    /// When it last did.
    pub last_fire: Option<Moment>,
}
