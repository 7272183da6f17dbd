//! The state of incremental lowering: closed messages as bytes, the open one as
//! blocks.

use std::collections::{HashSet, VecDeque};
use std::mem;
use std::sync::Arc;

use super::closed_history::ClosedHistory;
use super::open_run::OpenRun;
use super::run::Run;
use crate::conversation::Part;
use crate::encode::{Encoded, History, Marker};
use crate::repair::Repair;
use crate::wire::ContentBlock;

/// Everything lowered so far: closed messages in bytes, and the open run.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) history: History,
    /// The callers' markers in the history.
    pub(super) markers: Vec<Marker>,
    pub(super) before: ClosedHistory,
    /// The messages that may still grow.
    pub(super) open: OpenRun,
    /// The tools that results refer to, by name.
    pub(super) references: HashSet<String>,
    /// What was reported for messages that are not closed.
    pub(super) reported: HashSet<Repair>,
    /// The messages in the last request that were not closed, encoded without
    /// ephemeral reminders. Most of them are closed as they are.
    pub(super) sent: VecDeque<(Run, Arc<Encoded>)>,
    /// True after a request with these messages: changing them is then a reset.
    pub(super) was_sent: bool,
}

impl State {
    pub(super) fn note_references(&mut self, parts: &[Part]) {
        for part in parts {
            if let Part::ToolResult(result) = part {
                let blocks = result.content.blocks().iter();
                self.references.extend(blocks.filter_map(ContentBlock::tool_reference));
            }
        }
    }

    /// Appends a closed message to the history.
    ///
    /// If the last request sent the same message, its bytes are used again.
    pub(super) fn push_closed(&mut self, run: Run) {
        let sent = self.sent.pop_front();
        let message = encode(&run, sent);
        self.markers.extend(message.caller_markers(self.history.len()));
        self.history.push(message);
    }

    /// Messages that did not change since the last request keep their bytes.
    pub(super) fn encode_open(&mut self, runs: Vec<Run>) {
        let mut before = mem::take(&mut self.sent).into_iter();
        let sent = runs.into_iter().map(|run| {
            let message = encode(&run, before.next());
            (run, message)
        });
        self.sent = sent.collect();
    }
}

/// Encodes a run as one message, unless the same run was encoded before.
fn encode(run: &Run, before: Option<(Run, Arc<Encoded>)>) -> Arc<Encoded> {
    match before {
        Some((same, message)) if same == *run => message,
        _ => Arc::new(run.encode()),
    }
}
