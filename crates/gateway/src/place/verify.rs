//! The check after an edit: placed markers never make the API refuse a request.

use std::collections::HashSet;

use aside_messages::{Rules, Violation, check_body};

/// Returns the first violation that the edited body has and the body as it came
/// has not, or `None` if the API accepts the edit.
///
/// The body as it came is only checked if the edited one has a violation.
pub(crate) fn new_violation(sent: &[u8], edited: &[u8]) -> Option<Violation> {
    let rules = Rules::default();
    let checked = check_body(edited, &rules);
    let mut found = checked.refused().peekable();
    found.peek()?;
    let before = check_body(sent, &rules);
    let known: HashSet<_> = before.refused().map(|it| (it.rule, &*it.path)).collect();
    found
        .find(|it| !known.contains(&(it.rule, &*it.path)))
        .cloned()
}
