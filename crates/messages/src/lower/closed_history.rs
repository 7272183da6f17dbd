//! The facts that are kept about messages whose bytes are final.

use aside_body::turns::{Pairing, Repeats, Window};

use super::passes::Calls;
use super::run::Run;

/// The facts about earlier messages that the passes over whole messages need.
#[derive(Debug)]
pub(super) struct ClosedHistory {
    pub(super) calls: Calls,
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
    /// The continuation of the calls of the history.
    pub(super) calls: Calls,
    /// The number of images and documents in them, before any was replaced.
    pub(super) media: usize,
}

impl Default for ClosedHistory {
    fn default() -> Self {
        Self {
            calls: Pairing::new(Window::NextTurn, Repeats::Same),
            media: 0,
            has_messages: false,
        }
    }
}

impl ClosedHistory {
    /// Appends closed messages and returns their runs.
    ///
    /// The work depends on the new messages only.
    pub(super) fn close(&mut self, repaired: RepairedRuns) -> Vec<Run> {
        self.calls.append(repaired.calls);
        self.media += repaired.media;
        self.has_messages = true;
        repaired.runs
    }
}
