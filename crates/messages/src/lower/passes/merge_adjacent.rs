use crate::lower::run::Run;
use crate::wire::Role;

/// Merges neighbouring runs in one role, blocks in order and unchanged. A run
/// cut by an abort stays apart from the next one.
///
/// A system message is never merged, and does not separate two runs: it is
/// placed after the user messages around it.
///
/// ```text
/// user: "a"        →  user: "a", "b"
/// system: "note"      system: "note"
/// user: "b"
/// ```
pub(crate) fn merge_adjacent(runs: impl IntoIterator<Item = Run>) -> Vec<Run> {
    let mut merged: Vec<Run> = Vec::new();
    for run in runs {
        if run.role == Role::System {
            merged.push(run);
            continue;
        }
        let mut last_first = merged.iter_mut().rev();
        match last_first.find(|last| last.role != Role::System) {
            Some(last) if last.role == run.role && !last.is_cut => {
                last.blocks.extend(run.blocks);
                last.is_cut = run.is_cut;
            }
            _ => merged.push(run),
        }
    }
    merged
}
