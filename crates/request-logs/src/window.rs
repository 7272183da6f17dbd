//! The order of entries: by the time at which their requests began.
//!
//! Agents and proxies write an entry when its response ends, so the requests of
//! sub-agents that run at once are out of order. A cache model that reads them in
//! that order finds misses that never happened.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::error::{LogError, LogErrorKind};
use crate::exchange::Exchange;

/// How many entries wait for earlier ones.
const MAX_ENTRIES: usize = 16;

/// How many bytes of bodies wait for earlier entries.
const MAX_BYTES: usize = 32 << 20;

/// The entries and faults that are read and not yet returned, in the order of
/// their times. One without a time keeps its place after the latest.
#[derive(Debug, Default)]
pub(crate) struct Window {
    waiting: BTreeMap<(Duration, u64), Result<Exchange, LogError>>,
    /// The number of entries and faults so far.
    count: u64,
    /// The bytes of the bodies that wait.
    bytes: usize,
    /// The latest time that was read.
    latest: Duration,
    /// The latest time that was returned.
    returned: Duration,
}

impl Window {
    /// Adds an exchange. One that is older than an exchange that was returned
    /// comes after an error.
    pub(crate) fn push(&mut self, exchange: Exchange) {
        let at = exchange.at.unwrap_or(self.latest);
        if at < self.returned {
            let detail = format!(
                "{} s before an entry above",
                (self.returned - at).as_secs_f64()
            );
            let kind = LogErrorKind::OutOfOrder;
            self.insert(at, Err(LogError::new(kind, exchange.line, detail)));
        }
        self.latest = self.latest.max(at);
        self.bytes += bytes(&exchange);
        self.insert(at, Ok(exchange));
    }

    /// Adds a fault after what was read before it.
    pub(crate) fn fault(&mut self, error: LogError) {
        self.insert(self.latest, Err(error));
    }

    fn insert(&mut self, at: Duration, item: Result<Exchange, LogError>) {
        self.count += 1;
        self.waiting.insert((at, self.count), item);
    }

    /// Returns the earliest item if the window is full, or at the end of the log.
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
