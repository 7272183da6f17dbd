//! A scenario's clock, which advances only by events.

use std::time::Duration;

use aside_prompt_sections::SessionDate;
use aside_session::SessionTime;

const MINUTES_A_DAY: u64 = 24 * 60;

/// Returns the time after this duration, for a session that began at noon, in
/// UTC. The session's date stays.
pub(crate) fn time(date: SessionDate, elapsed: Duration) -> SessionTime {
    let minutes = (MINUTES_A_DAY / 2 + elapsed.as_secs() / 60) % MINUTES_A_DAY;
    let (hour, minute) = (minutes / 60, minutes % 60);
    SessionTime {
        now: Some(format!("{date} {hour:02}:{minute:02} +00:00")),
        elapsed,
        since_epoch: Some(elapsed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_pass() {
        let date = SessionDate::new(2026, 1, 31).unwrap();
        let now = |seconds| time(date, Duration::from_secs(seconds)).now.unwrap();
        assert_eq!(now(0), "2026-01-31 12:00 +00:00");
        assert_eq!(now(3_719), "2026-01-31 13:01 +00:00");
        assert_eq!(now(12 * 3_600), "2026-01-31 00:00 +00:00");
    }
}
