use super::block::Run;
use super::{LowerOptions, drop_blank, expand, merge_adjacent};
use crate::conversation::{Boundary, Entry, EntryKind, Origin};
use crate::diagnostic::Diagnostic;

/// The end of a conversation that may still grow: expanded and merged, the
/// passes over whole messages yet to come.
#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    open: Option<Run>,
    /// The summary of what stood before the boundary. It goes behind the
    /// context that is told anew after it, where other sessions of the project
    /// have no summary either.
    summary: Option<Run>,
}

impl Front {
    /// Takes an entry up, and gives the runs that it closes.
    pub(super) fn take_up(
        &mut self,
        entry: &Entry,
        options: &LowerOptions,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<Run> {
        if entry.kind == EntryKind::Aborted {
            let closed = self.place_summary();
            if let Some(open) = &mut self.open {
                open.is_cut = true;
            }
            return closed;
        }
        let Some(mut run) = expand(entry, options, diagnostics) else {
            return Vec::new();
        };
        drop_blank(&mut run);
        if matches!(entry.kind, EntryKind::Boundary(Boundary::Compact { .. })) {
            self.summary = Some(run);
            return Vec::new();
        }
        let mut closed = Vec::new();
        if !is_context(entry) {
            closed = self.place_summary();
        }
        closed.extend(self.push(run));
        closed
    }

    /// The runs, the last of which may still grow.
    pub(super) fn into_runs(mut self) -> Vec<Run> {
        let mut runs = self.place_summary();
        runs.extend(self.open);
        runs
    }

    /// Whether the place of the summary is still open.
    pub(super) fn awaits_context(&self) -> bool {
        self.summary.is_some()
    }

    fn place_summary(&mut self) -> Vec<Run> {
        let summary = self.summary.take();
        summary.map_or_else(Vec::new, |summary| self.push(summary))
    }

    fn push(&mut self, run: Run) -> Vec<Run> {
        let mut runs = merge_adjacent(self.open.take().into_iter().chain([run]));
        self.open = runs.pop();
        runs
    }
}

/// Whether it is what a session is told before the human's first word.
pub(super) fn is_context(entry: &Entry) -> bool {
    matches!(entry.origin, Origin::Context { .. })
}
