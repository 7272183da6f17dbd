use std::sync::Arc;

use tokio::sync::watch;

/// Ends a [`Loop`](crate::Loop)'s current run, from any thread. Clones control
/// the same loop.
#[derive(Clone, Debug, Default)]
pub struct CancelHandle {
    flag: Arc<watch::Sender<bool>>,
}

impl CancelHandle {
    /// Ends the current run, or the next one if none is running.
    pub fn cancel(&self) {
        self.flag.send_replace(true);
    }

    /// Resolves once the run is cancelled, at once if it already is.
    pub(crate) async fn cancelled(&self) {
        let mut seen = self.flag.subscribe();
        let gone = seen.wait_for(|cancelled| *cancelled).await.is_err();
        debug_assert!(!gone, "the sender is in the handle");
    }

    /// Call it after the cancelled run has ended.
    pub(crate) fn reset(&self) {
        self.flag.send_replace(false);
    }
}
