use super::block::Run;

/// Makes one run of neighbours of one role, blocks in order and unchanged.
#[must_use]
pub fn merge_adjacent(runs: impl IntoIterator<Item = Run>) -> Vec<Run> {
    let mut merged: Vec<Run> = Vec::new();
    for run in runs {
        match merged.last_mut() {
            Some(last) if last.role == run.role => last.blocks.extend(run.blocks),
            _ => merged.push(run),
        }
    }
    merged
}
