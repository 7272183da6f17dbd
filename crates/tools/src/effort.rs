use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aside_agent::{ToolFuture, ToolOutput};
use aside_messages::wire::RawJson;
use serde::de::DeserializeOwned;

use crate::input;
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// How long one call works at most.
const LONGEST: Duration = Duration::from_secs(20);

/// How much a call may still do: until its time is over, or nobody waits for
/// it any longer.
#[derive(Clone, Debug)]
pub(crate) struct Effort {
    until: Instant,
    abandoned: Arc<AtomicBool>,
}

/// Tells an [`Effort`] that nobody waits for it.
struct Abandon(Arc<AtomicBool>);

impl Effort {
    pub(crate) fn new(longest: Duration) -> Self {
        Self {
            until: Instant::now() + longest,
            abandoned: Arc::default(),
        }
    }

    /// Whether it is time to stop.
    pub(crate) fn is_over(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed) || Instant::now() >= self.until
    }
}

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Answers a call by work in the workspace: reads its input, and says to the
/// model what is wrong with that or went wrong with the work.
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

/// Does work that reads files, off the runtime. Where the future is dropped,
/// the work stops at its next look at the clock.
async fn work(work: impl FnOnce(&Effort) -> ToolOutput + Send + 'static) -> ToolOutput {
    let effort = Effort::new(LONGEST);
    let _abandon = Abandon(effort.abandoned.clone());
    let done = tokio::task::spawn_blocking(move || work(&effort)).await;
    done.unwrap_or_else(|error| ToolOutput::error(format!("the tool failed: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_ends() {
        assert!(!Effort::new(LONGEST).is_over());
        assert!(Effort::new(Duration::ZERO).is_over());
    }

    #[tokio::test]
    async fn who_does_not_wait_stops_the_work() {
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
        // Long before the time of the call is over.
        let patience = LONGEST / 2;
        let waited = tokio::task::spawn_blocking(move || has_stopped.recv_timeout(patience));
        waited.await.unwrap().unwrap();
    }
}
