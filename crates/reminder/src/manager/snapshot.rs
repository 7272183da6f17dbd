use serde::{Deserialize, Serialize};

use crate::moment::Moment;

/// The counters of a [`Manager`](super::Manager). As JSON:
/// `{"reminders":[{"id":"a","fires":1,"last_fire":{"turn":0,"elapsed_ms":0}}]}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The counters of each reminder that has fired, in the order of
    /// registration.
    pub reminders: Vec<Counters>,
}

/// The counters of one reminder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// The id of the reminder.
    pub id: String,
    /// The number of fires.
    pub fires: u32,
    /// The moment of its last fire.
    pub last_fire: Option<Moment>,
}
