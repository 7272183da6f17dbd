//! When requests are sent. Cache entries live for minutes to hours, so a test
//! sets a request's time by a header, or lets a script advance the clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::HeaderMap;

/// The header with a given time: seconds since 1970, as a decimal number.
const NOW: &str = "x-aside-now";
/// Year 9999; later times are taken for errors.
const MAX_SECONDS: f64 = 253_402_300_800.0;

/// Request times: real, moved forward by a script, or given.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    ahead: Duration,
}

impl Clock {
    pub(crate) fn advance(&mut self, by: Duration) {
        self.ahead = self.ahead.saturating_add(by);
    }

    /// Returns a request's time since 1970.
    ///
    /// # Errors
    /// The header is no such time: with the real one, a test would see misses that are none.
    pub(crate) fn of(&self, headers: &HeaderMap) -> Result<Duration, String> {
        let Some(given) = headers.get(NOW) else {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            return Ok(now.unwrap_or_default().saturating_add(self.ahead));
        };
        let seconds = given.to_str().ok().and_then(|it| it.parse::<f64>().ok());
        let seconds = seconds.filter(|it| (0.0..MAX_SECONDS).contains(it));
        seconds
            .map(Duration::from_secs_f64)
            .ok_or_else(|| format!("{NOW}: expected seconds since 1970, found {given:?}"))
    }
}
