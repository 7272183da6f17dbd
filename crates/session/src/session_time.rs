use std::time::Duration;

/// The time in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionTime {
    /// The local date and time to the minute with the time zone, for `{{now}}`
    /// in reminders; `None` if it is not known.
    pub now: Option<String>,
    /// The age of the session, including the time before it was resumed.
    pub elapsed: Duration,
}
