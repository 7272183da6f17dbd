//! What to remember about messages whose bytes are final.

use aside_body::turns::{Pairing, Repeats, Window};

use super::passes::{Calls, Medium};
use super::run::Run;

/// What the passes over whole messages need to know about earlier ones.
#[derive(Debug)]
pub(super) struct ClosedHistory {
    pub(super) calls: Calls,
    /// The images and documents, replaced ones included.
    pub(super) media: Vec<Medium>,
    /// False until the first message is closed.
    pub(super) has_messages: bool,
}

/// Messages after the passes over whole messages, and what they add to the
/// history once they are closed.
#[derive(Debug)]
pub(super) struct RepairedRuns {
    pub(super) runs: Vec<Run>,
    /// Continues the history's calls.
    pub(super) calls: Calls,
    /// Their images and documents, before any was replaced.
    pub(super) media: Vec<Medium>,
}

impl Default for ClosedHistory {
    fn default() -> Self {
        Self {
            calls: Pairing::new(Window::NextTurn, Repeats::Same),
            media: Vec::new(),
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
        self.media.extend(repaired.media);
        self.has_messages = true;
        repaired.runs
    }
}
