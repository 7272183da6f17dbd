//! A counter on the terminal for work that takes over a second.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use crate::output;

/// The time after which a counter is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two values.
const PAUSE: Duration = Duration::from_millis(100);

/// A counter, such as `1200 requests`, in the last line of the terminal. It is
/// removed when it is dropped, and never shown if stderr is no terminal.
///
/// It is for work whose length is not known. With `--quiet` it is not shown either.
#[derive(Debug)]
pub(crate) struct Counter {
    /// The counted things, in the plural.
    unit: &'static str,
    /// The number so far.
    count: u64,
    /// The time from which the next value is written; `None` if it is never shown.
    next: Option<Instant>,
    /// True while the line is on the terminal.
    is_shown: bool,
}

impl Counter {
    /// Creates a counter that shows nothing for the first second.
    pub(crate) fn new(unit: &'static str) -> Self {
        let is_wanted = stderr().is_terminal() && !output::is_quiet();
        Self {
            unit,
            count: 0,
            next: is_wanted.then(|| Instant::now() + PATIENCE),
            is_shown: false,
        }
    }

    /// Counts one more.
    pub(crate) fn add(&mut self) {
        self.count += 1;
        if let Some(line) = self.line(Instant::now()) {
            self.is_shown = true;
            let _ = write!(stderr(), "{line}");
        }
    }

    /// Returns the line to write at this time, if any.
    fn line(&mut self, now: Instant) -> Option<String> {
        if now < self.next? {
            return None;
        }
        self.next = Some(now + PAUSE);
        Some(format!("\r{} {}\x1b[K", self.count, self.unit))
    }

    /// Removes the line, before something else is written.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_shown_after_a_second_and_not_too_often() {
        let start = Instant::now();
        let mut counter = Counter {
            unit: "requests",
            count: 7,
            next: Some(start + PATIENCE),
            is_shown: false,
        };
        let after = |millis| start + Duration::from_millis(millis);
        assert_eq!(counter.line(after(999)), None);
        assert_eq!(counter.line(after(1000)).unwrap(), "\r7 requests\x1b[K");
        assert_eq!(counter.line(after(1050)), None);
        assert!(counter.line(after(1100)).is_some());
        counter.next = None;
        assert_eq!(counter.line(after(9000)), None);
    }
}
