use std::time::Duration;

/// The time in a session.
///
/// A session reads no clock: you set the values with
/// [`Session::set_time`](crate::Session::set_time), and they stay until the
/// next call.
///
/// ```
/// use std::time::Duration;
///
/// use aside_session::SessionTime;
///
/// let time = SessionTime {
///     now: Some("2026-01-31 09:30 +01:00".to_owned()),
///     elapsed: Duration::from_secs(90),
///     since_epoch: Some(Duration::from_secs(1_769_848_200)),
/// };
/// assert_ne!(time, SessionTime::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionTime {
    /// Local date and time to the minute with the time zone, for `{{now}}` in
    /// reminders; `None` if unknown.
    pub now: Option<String>,
    /// How old the session is, including the time before it was resumed.
    pub elapsed: Duration,
    /// The time since the Unix epoch, to tell how long ago the previous request
    /// was sent, maybe by another process; `None` if unknown.
    pub since_epoch: Option<Duration>,
}
