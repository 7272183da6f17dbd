use std::sync::Arc;

use tokio::sync::watch;

/// Ends what a [`Loop`](crate::Loop) is doing, from anywhere. Clones do the
/// same.
#[derive(Clone, Debug)]
pub struct CancelHandle {
    flag: Arc<watch::Sender<bool>>,
}

impl Default for CancelHandle {
    fn default() -> Self {
        Self {
            flag: Arc::new(watch::Sender::new(false)),
        }
    }
}

impl CancelHandle {
    /// Ends the run that is going on, or else the next one.
    pub fn cancel(&self) {
        self.flag.send_replace(true);
    }

    /// Resolves once somebody cancels, at once where somebody did.
    pub(crate) async fn cancelled(&self) {
        let mut seen = self.flag.subscribe();
        let gone = seen.wait_for(|cancelled| *cancelled).await.is_err();
        debug_assert!(!gone, "the sender is in the handle");
    }

    /// What was cancelled has ended.
    pub(crate) fn reset(&self) {
        self.flag.send_replace(false);
    }
}
