//! A conversation's last message. Entries can still be merged into it, so it is
//! lowered again with each of them; all messages before it are closed.

use std::mem;

use super::options::LowerOptions;
use super::pipeline::{drop_waiting_group, expand_entry, join_runs};
use super::run::{Block, Run};
use crate::conversation::{Entry, EntryKind, Origin};
use crate::repair::Repair;
use crate::wire::{ContentBlock, Role};

/// The part of a conversation that may still grow: expanded and merged, before
/// the passes over whole messages.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenRun {
    /// The last run, or the last user run and the system runs after it.
    open: Vec<Run>,
    /// A compaction's summary. It goes after the session context that is
    /// appended again, because the project's other sessions share that context
    /// and not the summary.
    summary: Option<Run>,
    /// System text before the first user message, which it becomes a part of.
    leading: Vec<Run>,
    /// True once there was a user message.
    has_user: bool,
}

impl OpenRun {
    /// Appends an entry and returns the runs that it closes.
    ///
    /// For example, after `user: "a"`:
    ///
    /// ```text
    /// push assistant: "Hi"  →  [user: "a"]        closed
    /// push user: "b"        →  [assistant: "Hi"]  closed
    /// push user: "c"        →  []                 merged into user: "b"
    /// ```
    pub(super) fn push(
        &mut self,
        entry: &Entry,
        options: &LowerOptions,
        diagnostics: &mut Vec<Repair>,
    ) -> Vec<Run> {
        if entry.kind == EntryKind::Aborted {
            let closed = self.place_summary(diagnostics);
            let mut last_first = self.open.iter_mut().rev();
            if let Some(cut) = last_first.find(|run| run.role != Role::System) {
                cut.is_cut = true;
            }
            return closed;
        }
        if matches!(entry.kind, EntryKind::Delivery(_)) {
            self.keep_volatile();
        }
        let Some(run) = expand_entry(entry, options, diagnostics) else {
            return Vec::new();
        };
        // The API's own block comes before the context.
        if entry.is_boundary() && run.role == Role::User {
            self.summary = Some(run);
            return Vec::new();
        }
        let mut closed = Vec::new();
        if !is_context(entry) {
            closed = self.place_summary(diagnostics);
        }
        closed.extend(self.join(run, diagnostics));
        closed
    }

    /// Returns the runs that may still grow.
    ///
    /// Ends the open run for one request; the caller keeps the original.
    pub(super) fn into_runs(mut self) -> Vec<Run> {
        // Only a boundary is before a summary, so nothing is repaired.
        let mut runs = self.place_summary(&mut Vec::new());
        runs.extend(self.open);
        drop_waiting_group(&mut runs);
        runs
    }

    /// Returns true if session context may still be placed before the summary.
    pub(super) fn awaits_context(&self) -> bool {
        self.summary.is_some()
    }

    /// Appends the summary that waited for session context.
    fn place_summary(&mut self, diagnostics: &mut Vec<Repair>) -> Vec<Run> {
        let summary = self.summary.take();
        summary.map_or_else(Vec::new, |summary| self.join(summary, diagnostics))
    }

    /// Returns the runs before the last one that is no system message.
    fn join(&mut self, run: Run, diagnostics: &mut Vec<Repair>) -> Vec<Run> {
        let run = match run.role {
            Role::System if !self.has_user => {
                self.leading.push(run);
                return Vec::new();
            }
            Role::User if !self.has_user => {
                self.has_user = true;
                self.with_leading(run)
            }
            _ => run,
        };
        if run.role != Role::System {
            self.drop_unanswered(&run);
            self.drop_pending_calls(&run, diagnostics);
        }
        let mut runs = join_runs(mem::take(&mut self.open).into_iter().chain([run]));
        // Later entries are merged into the last run, and go before the system
        // messages after it.
        let last = runs.iter().rposition(|run| run.role != Role::System);
        self.open = runs.split_off(last.unwrap_or(0));
        runs
    }

    /// Puts the system text before the first user message into it.
    fn with_leading(&mut self, first: Run) -> Run {
        let leading = mem::take(&mut self.leading).into_iter().filter(|run| !run.is_turn_scoped());
        let mut blocks: Vec<_> = leading.flat_map(|run| run.into_reminders().blocks).collect();
        blocks.extend(first.blocks);
        Run { blocks, ..first }
    }

    /// Leaves out turn-scoped text without a response: if a user message
    /// follows, its request was aborted or is sent again. As a reminder, it is
    /// left out before a response too.
    fn drop_unanswered(&mut self, next: &Run) {
        if next.role == Role::User {
            self.open.retain(|run| !run.is_turn_scoped());
        }
        // A request's turn-scoped texts stay together.
        if !next.blocks.iter().all(|block| block.source.volatile) {
            for run in &mut self.open {
                run.blocks.retain(|block| !block.source.volatile);
            }
        }
    }

    /// Leaves out a paused response's calls that the API has not finished, if
    /// the next message has more than results: the API then refuses them.
    fn drop_pending_calls(&mut self, next: &Run, diagnostics: &mut Vec<Repair>) {
        let is_result = |block: &Block| matches!(block.content, ContentBlock::ToolResult(_));
        if next.role != Role::User || next.blocks.iter().all(is_result) {
            return;
        }
        for run in self.open.iter_mut().filter(|run| run.role == Role::Assistant) {
            run.drop_pending_calls(diagnostics);
        }
    }

    /// Keeps turn-scoped text that was sent as a reminder, since later output
    /// was produced after it.
    fn keep_volatile(&mut self) {
        let blocks = self.open.iter_mut().flat_map(|run| &mut run.blocks);
        for block in blocks {
            block.source.volatile = false;
        }
    }
}

/// Returns true for an entry in the session context, which precedes the human's
/// first message.
pub(super) fn is_context(entry: &Entry) -> bool {
    matches!(entry.origin, Origin::Context { .. })
}
