use std::mem;

use super::options::LowerOptions;
use super::pipeline::{expand_entry, join_runs};
use super::run::Run;
use crate::conversation::{Boundary, Entry, EntryKind, Origin};
use crate::diagnostic::Diagnostic;
use crate::wire::Role;

/// The end of a conversation that may still grow: expanded and merged, before
/// the passes over whole messages.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenRun {
    /// The last run, or the last user run and the system runs after it.
    open: Vec<Run>,
    /// The summary of a compaction. It goes after the session context that is
    /// appended again, because other sessions of the project share that
    /// context and not the summary.
    summary: Option<Run>,
}

impl OpenRun {
    /// Appends an entry and returns the runs that it closes.
    pub(super) fn push(
        &mut self,
        entry: &Entry,
        options: &LowerOptions,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<Run> {
        if entry.kind == EntryKind::Aborted {
            let closed = self.place_summary();
            let mut last_first = self.open.iter_mut().rev();
            if let Some(cut) = last_first.find(|run| run.role != Role::System) {
                cut.is_cut = true;
            }
            return closed;
        }
        let Some(run) = expand_entry(entry, options, diagnostics) else {
            return Vec::new();
        };
        if matches!(entry.kind, EntryKind::Boundary(Boundary::Compact { .. })) {
            self.summary = Some(run);
            return Vec::new();
        }
        let mut closed = Vec::new();
        if !is_context(entry) {
            closed = self.place_summary();
        }
        closed.extend(self.join(run));
        closed
    }

    /// Returns the runs that may still grow.
    pub(super) fn into_runs(mut self) -> Vec<Run> {
        let mut runs = self.place_summary();
        runs.extend(self.open);
        runs
    }

    /// Returns true if session context may still be placed before the summary.
    pub(super) fn awaits_context(&self) -> bool {
        self.summary.is_some()
    }

    fn place_summary(&mut self) -> Vec<Run> {
        let summary = self.summary.take();
        summary.map_or_else(Vec::new, |summary| self.join(summary))
    }

    fn join(&mut self, run: Run) -> Vec<Run> {
        let mut runs = join_runs(mem::take(&mut self.open).into_iter().chain([run]));
        let is_system = |run: &Run| run.role == Role::System;
        let last = runs.iter().rposition(|run| !is_system(run));
        let open = match last {
            // User entries to come are merged into this run, and go before the
            // system runs.
            Some(last) if runs[last].role == Role::User || last + 1 == runs.len() => last,
            Some(last) => last + 1,
            None => 0,
        };
        self.open = runs.split_off(open);
        runs
    }
}

/// Returns true for an entry of the session context, which precedes the first
/// message of the human.
pub(super) fn is_context(entry: &Entry) -> bool {
    matches!(entry.origin, Origin::Context { .. })
}
