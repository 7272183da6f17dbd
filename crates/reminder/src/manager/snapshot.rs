use serde::{Deserialize, Serialize};

use crate::moment::Moment;

/// A [`Manager`](super::Manager)'s counters. As JSON:
/// `{"reminders":[{"id":"a","fires":1,"last_fire":{"turn":0,"elapsed_ms":0}}]}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The counters of each reminder that has fired, in registration order.
    pub reminders: Vec<Counters>,
}

/// The counters of one reminder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// The id of the reminder.
    pub id: String,
    /// How often it has fired.
    pub fires: u32,
    /// When it last fired.
    pub last_fire: Option<Moment>,
}
