use crate::lower::run::Run;
use crate::wire::Role;

/// Moves system runs after the user runs that follow them. The API refuses a
/// system message between two user messages: it belongs to the answer that
/// follows it.
pub(crate) fn place_system(runs: impl IntoIterator<Item = Run>) -> Vec<Run> {
    let mut placed = Vec::new();
    let mut waiting = Vec::new();
    for run in runs {
        match run.role {
            Role::System => waiting.push(run),
            Role::User => placed.push(run),
            Role::Assistant | Role::Other(_) => {
                placed.append(&mut waiting);
                placed.push(run);
            }
        }
    }
    placed.append(&mut waiting);
    placed
}
