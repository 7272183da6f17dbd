use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aside_cache_split::BreakpointPlan;
use aside_messages::encode::Body;
use aside_messages::lower::Reset;
use aside_messages::wire::{ReadError, Request};
use aside_reminder::{Due, Manager};

use crate::diagnostic::Diagnostic;

/// A request that is ready to be sent.
///
/// Reminders that are in it are reserved. [`Prepared::commit`] counts them;
/// dropping it, because the request never went out, makes them due again.
#[derive(Debug)]
#[must_use = "what a request took from its session counts only once it is committed"]
pub struct Prepared {
    /// The bytes of the request.
    pub body: Body,
    /// Where the cache markers are, and why.
    pub plan: BreakpointPlan,
    /// Why the messages were lowered anew, if they were: the bytes of this
    /// request do not continue those of the last one.
    pub reset: Option<Reset>,
    /// What was mended in the messages.
    pub diagnostics: Vec<Diagnostic>,
    pub(crate) sent: Sent,
}

impl Prepared {
    /// The request went out: headers came back with 2xx. A second call changes
    /// nothing.
    pub fn commit(&mut self) {
        self.sent.commit();
    }

    /// The request as a typed value; written by serde, it has the bytes of the
    /// body.
    ///
    /// # Errors
    /// Where an unknown key that a caller added doubles a known one.
    pub fn request(&self) -> Result<Request, ReadError> {
        self.body.to_request()
    }
}

/// What is settled once it is known whether the request went out.
#[derive(Debug)]
pub(crate) struct Sent {
    reminders: Arc<Manager>,
    due: Vec<Due>,
    /// The session's count of requests, until this one is counted.
    turn: Option<Arc<AtomicU64>>,
}

impl Sent {
    pub(crate) fn new(reminders: Arc<Manager>, due: Vec<Due>, turn: Arc<AtomicU64>) -> Self {
        Self {
            reminders,
            due,
            turn: Some(turn),
        }
    }

    pub(crate) fn due(&self) -> &[Due] {
        &self.due
    }

    fn commit(&mut self) {
        self.reminders.commit(std::mem::take(&mut self.due));
        if let Some(turn) = self.turn.take() {
            turn.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.reminders.release(std::mem::take(&mut self.due));
    }
}
