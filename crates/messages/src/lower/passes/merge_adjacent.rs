use crate::lower::run::Run;

/// Merges neighbouring runs of one role, blocks in order and unchanged. A run
/// that is cut by an abort stays apart from the next one.
pub(crate) fn merge_adjacent(runs: impl IntoIterator<Item = Run>) -> Vec<Run> {
    let mut merged: Vec<Run> = Vec::new();
    for run in runs {
        match merged.last_mut() {
            Some(last) if last.role == run.role && !last.is_cut => {
                last.blocks.extend(run.blocks);
                last.is_cut = run.is_cut;
            }
            _ => merged.push(run),
        }
    }
    merged
}
