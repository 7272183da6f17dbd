//! A session's clock: its age over several processes, and the date to report.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use aside_agent::Clock;
use aside_session::{SessionDate, SessionTime};
use uuid::Uuid;

use crate::date::today_and_now;

/// The clock in a running session.
#[derive(Debug)]
pub struct SessionClock {
    /// Reported instead of the machine's time.
    fixed: Option<String>,
    /// How old the session was when this process resumed it.
    before: Duration,
    /// When this process resumed it.
    since: Instant,
}

impl SessionClock {
    /// Creates a clock for a session that is `elapsed` old. With `fixed`, that
    /// text is reported as the local time.
    #[must_use]
    pub fn new(elapsed: Duration, fixed: Option<String>) -> Self {
        Self { fixed, before: elapsed, since: Instant::now() }
    }
}

impl Clock for SessionClock {
    fn now(&mut self) -> (SessionTime, Option<SessionDate>) {
        let elapsed = self.before + self.since.elapsed();
        if let Some(now) = self.fixed.clone() {
            // A fixed time belongs to the session's date.
            let time = SessionTime { now: Some(now), elapsed, since_epoch: None };
            return (time, None);
        }
        let (today, time) = today_and_now();
        (SessionTime { elapsed, ..time }, Some(today))
    }
}

/// Returns an id for a new session whose transcript goes into `directory`. No
/// other session has it: two never begin at the same moment in one process, nor
/// in one directory with the same process number.
///
/// ```
/// let directory = std::path::Path::new("/tmp/sessions");
/// assert_ne!(aside_host::new_session_id(directory), aside_host::new_session_id(directory));
/// ```
#[must_use]
pub fn new_session_id(directory: &Path) -> Uuid {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_nanos();
    let name = format!("{} {} {now}", directory.display(), std::process::id());
    Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes())
}
