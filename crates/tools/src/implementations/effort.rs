//! Limiting how long a call takes, and cancelling it.
//!
//! Files are read on a thread for blocking work, which cannot be interrupted.
//! Instead, the work checks an [`Effort`] between files, matches and pieces,
//! and returns the results so far.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aside_agent::{ToolFuture, ToolOutput};
use aside_messages::wire::RawJson;
use serde::de::DeserializeOwned;

use crate::implementations::input;
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// How long one call may take.
const MAX_CALL_TIME: Duration = Duration::from_secs(20);

/// What a call may still spend: it ends with the time limit, or when the call's
/// future is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Effort {
    until: Instant,
    abandoned: Arc<AtomicBool>,
}

/// Ends an [`Effort`] when it is dropped.
struct Abandon(Arc<AtomicBool>);

impl Effort {
    pub(crate) fn new(longest: Duration) -> Self {
        Self { until: Instant::now() + longest, abandoned: Arc::default() }
    }

    /// Returns true if the call has to stop.
    pub(crate) fn is_over(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed) || Instant::now() >= self.until
    }
}

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Parses a call's input and runs `answer` in the workspace. A faulty input and
/// failed work are both results for the model.
pub(crate) fn call<I: DeserializeOwned + Send + 'static>(
    workspace: &Arc<Workspace>,
    input: &RawJson,
    answer: fn(&Workspace, &I, &Effort) -> Result<ToolOutput, Refusal>,
) -> ToolFuture<'static> {
    let input = input::read(input);
    let workspace = workspace.clone();
    Box::pin(work(move |effort| {
        let answered = input.and_then(|input| answer(&workspace, &input, effort));
        answered.unwrap_or_else(Into::into)
    }))
}

/// Runs work that reads files on a blocking thread. If the future is dropped,
/// the work stops at its next look at the clock.
///
/// A panic in the work becomes an error result, like every other failure.
async fn work(work: impl FnOnce(&Effort) -> ToolOutput + Send + 'static) -> ToolOutput {
    let effort = Effort::new(MAX_CALL_TIME);
    let _abandon = Abandon(effort.abandoned.clone());
    let done = tokio::task::spawn_blocking(move || work(&effort)).await;
    done.unwrap_or_else(|error| ToolOutput::error(format!("the tool failed: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_ends() {
        assert!(!Effort::new(MAX_CALL_TIME).is_over());
        assert!(Effort::new(Duration::ZERO).is_over());
    }

    #[tokio::test]
    async fn a_dropped_call_stops_the_work() {
        let (started, has_started) = std::sync::mpsc::channel();
        let (stopped, has_stopped) = std::sync::mpsc::channel();
        let call = tokio::spawn(work(move |effort| {
            started.send(()).unwrap();
            while !effort.is_over() {
                std::thread::yield_now();
            }
            stopped.send(()).unwrap();
            ToolOutput::default()
        }));
        let running = tokio::task::spawn_blocking(move || has_started.recv());
        running.await.unwrap().unwrap();
        call.abort();
        // Well within a call's time limit.
        let patience = MAX_CALL_TIME / 2;
        let waited = tokio::task::spawn_blocking(move || has_stopped.recv_timeout(patience));
        waited.await.unwrap().unwrap();
    }
}
