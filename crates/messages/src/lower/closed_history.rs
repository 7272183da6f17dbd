//! The facts that are kept about messages whose bytes are final.

use std::collections::HashSet;
use std::sync::Arc;

use super::run::Run;

/// The facts about earlier messages that the passes over whole messages need.
#[derive(Debug, Default)]
pub(super) struct ClosedHistory {
    /// The ids of all tool calls.
    pub(super) calls: HashSet<Arc<str>>,
    /// The ids of the calls in the last message.
    pub(super) unanswered: Vec<Arc<str>>,
    /// The number of images and documents, those that were replaced included.
    pub(super) media: usize,
    /// False until the first message is closed.
    pub(super) has_messages: bool,
}

/// Messages after the passes over whole messages, with their additions to the
/// history once they are closed.
#[derive(Debug)]
pub(super) struct RepairedRuns {
    pub(super) runs: Vec<Run>,
    /// The ids of their tool calls.
    pub(super) calls: HashSet<Arc<str>>,
    /// The ids of the calls in the last of them.
    pub(super) unanswered: Vec<Arc<str>>,
    /// The number of images and documents in them, before any was replaced.
    pub(super) media: usize,
}

impl ClosedHistory {
    /// Appends closed messages and returns their runs.
    ///
    /// The work depends on the new messages only.
    pub(super) fn close(&mut self, repaired: RepairedRuns) -> Vec<Run> {
        self.calls.extend(repaired.calls);
        self.unanswered = repaired.unanswered;
        self.media += repaired.media;
        self.has_messages = true;
        repaired.runs
    }
}
