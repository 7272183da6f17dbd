//! A terminal counter for work that takes over a second.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use crate::output;

/// How long to wait before showing a counter.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long to wait between two values.
const PAUSE: Duration = Duration::from_millis(100);

/// A counter such as `1200 requests`, on the terminal's last line. It
/// disappears when dropped, and never appears when stderr is no terminal.
///
/// Use it for work whose length is unknown. `--quiet` hides it.
#[derive(Debug)]
pub(crate) struct Counter {
    /// What to count, in the plural.
    unit: &'static str,
    count: u64,
    /// When to write the next value; `None` to show nothing.
    next: Option<Instant>,
    is_shown: bool,
}

impl Counter {
    /// Creates a counter that shows nothing for the first second.
    pub(crate) fn new(unit: &'static str) -> Self {
        let is_wanted = stderr().is_terminal() && !output::is_quiet();
        Self { unit, count: 0, next: is_wanted.then(|| Instant::now() + PATIENCE), is_shown: false }
    }

    pub(crate) fn add(&mut self) {
        self.count += 1;
        if let Some(line) = self.line(Instant::now()) {
            self.is_shown = true;
            let _ = write!(stderr(), "{line}");
        }
    }

    /// Returns the line to write now, if any.
    fn line(&mut self, now: Instant) -> Option<String> {
        if now < self.next? {
            return None;
        }
        self.next = Some(now + PAUSE);
        Some(format!("\r{} {}\x1b[K", self.count, self.unit))
    }

    /// Removes the line, to make room for other output.
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
        let mut counter =
            Counter { unit: "requests", count: 7, next: Some(start + PATIENCE), is_shown: false };
        let after = |millis| start + Duration::from_millis(millis);
        assert_eq!(counter.line(after(999)), None);
        assert_eq!(counter.line(after(1000)).unwrap(), "\r7 requests\x1b[K");
        assert_eq!(counter.line(after(1050)), None);
        assert!(counter.line(after(1100)).is_some());
        counter.next = None;
        assert_eq!(counter.line(after(9000)), None);
    }
}
