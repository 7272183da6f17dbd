//! Putting entries in order: by when their requests began.
//!
//! Agents and proxies write an entry when its response ends, so requests by sub-agents that run at
//! once are out of order. Read in that order, a cache model would find misses that never happened.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::error::{LogError, LogErrorKind};
use crate::exchange::Exchange;

/// How many entries may wait for earlier ones.
const MAX_ENTRIES: usize = 16;

/// How many bytes of bodies may wait for earlier entries.
const MAX_BYTES: usize = 32 << 20;

/// Entries and faults that are read but not yet returned, in time order. One without a time keeps
/// its place after the latest.
#[derive(Debug, Default)]
pub(crate) struct Window {
    waiting: BTreeMap<(Duration, u64), Result<Exchange, LogError>>,
    /// How many entries and faults there were so far.
    count: u64,
    /// How many bytes of bodies wait.
    bytes: usize,
    /// The latest time that was read.
    latest: Duration,
    /// The time that was read last.
    last: Duration,
    /// The latest time that was returned.
    returned: Duration,
}

impl Window {
    /// Adds an exchange. It follows an error if a later one was already returned, unless it goes on
    /// from one of which this was said, or if a figure, the usage or the time of it could not be
    /// read.
    pub(crate) fn push(&mut self, mut exchange: Exchange) {
        let at = exchange.at.unwrap_or(self.latest);
        let unread = [
            (LogErrorKind::Time, exchange.unread_time.take()),
            (LogErrorKind::Figure, exchange.unread_figure.take()),
            (LogErrorKind::Usage, exchange.unread_usage.take()),
        ];
        for (kind, value) in unread {
            if let Some(value) = value {
                self.insert(at, Err(LogError::new(kind, exchange.line, value)));
            }
        }
        if at < self.returned.min(self.last) {
            let detail = format!("{} s before an entry above", (self.returned - at).as_secs_f64());
            let kind = LogErrorKind::OutOfOrder;
            self.insert(at, Err(LogError::new(kind, exchange.line, detail)));
        }
        self.latest = self.latest.max(at);
        self.last = at;
        self.bytes += bytes(&exchange);
        self.insert(at, Ok(exchange));
    }

    /// Returns how many bytes of bodies wait.
    #[cfg(feature = "files")]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a fault after everything read before it.
    pub(crate) fn fault(&mut self, error: LogError) {
        self.insert(self.latest, Err(error));
    }

    fn insert(&mut self, at: Duration, item: Result<Exchange, LogError>) {
        self.count += 1;
        self.waiting.insert((at, self.count), item);
    }

    /// Returns the earliest item when the window is full, or the log has ended.
    pub(crate) fn pop(&mut self, is_end: bool) -> Option<Result<Exchange, LogError>> {
        let is_full = self.waiting.len() > MAX_ENTRIES || self.bytes > MAX_BYTES;
        if !is_end && !is_full {
            return None;
        }
        let ((at, _), item) = self.waiting.pop_first()?;
        if let Ok(exchange) = &item {
            self.bytes -= bytes(exchange);
            self.returned = self.returned.max(at);
        }
        Some(item)
    }
}

fn bytes(exchange: &Exchange) -> usize {
    exchange.request.as_bytes().map_or(0, <[u8]>::len)
}
