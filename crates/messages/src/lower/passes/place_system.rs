use std::mem;

use crate::lower::run::Run;
use crate::wire::Role;

/// Moves the system messages between two responses after the user messages
/// there, as one group: persistent text, tool changes, turn-scoped text.
///
/// The API accepts a system message only after a user message, and before a
/// response or at the end. A group between two responses without a user message
/// waits for the next user message.
///
/// ```text
/// user: "a"            →  user: "a"
/// assistant: call 1       assistant: call 1
/// system: "note"          user: result 1
/// user: result 1          system: "note"
/// ```
pub(crate) fn place_system(runs: Vec<Run>) -> Vec<Run> {
    let mut placed = Vec::with_capacity(runs.len());
    let mut group: Vec<Run> = Vec::new();
    let mut has_user = false;
    for run in runs {
        match run.role {
            Role::System => group.push(run),
            Role::User => {
                has_user = true;
                placed.push(run);
            }
            Role::Assistant | Role::Other(_) => {
                if mem::take(&mut has_user) {
                    placed.extend(sorted(mem::take(&mut group)));
                }
                placed.push(run);
            }
        }
    }
    placed.extend(sorted(group));
    placed
}

/// Sorts a group. Messages with the same place keep their order.
///
/// The order is persistent text, tool changes, and turn-scoped text, which the
/// next user message clears.
fn sorted(mut group: Vec<Run>) -> Vec<Run> {
    group.sort_by_key(|run| run.place);
    group
}

/// Leaves out a group that waits for a user message.
///
/// It is sent with the first request that has a user message before it.
pub(crate) fn drop_waiting_group(runs: &mut Vec<Run>) {
    let last = runs.iter().rposition(|run| run.role != Role::System);
    let follows_user = last.is_some_and(|last| runs[last].role == Role::User);
    if !follows_user {
        runs.truncate(last.map_or(0, |last| last + 1));
    }
}
