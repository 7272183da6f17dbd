//! The check after an edit: placed markers never make the API refuse a request.

use std::collections::HashSet;

use aside_models::Wire;
use aside_rules::{Context, Finding, check};

/// Returns the first finding that the edited body has and the body as it came
/// has not, or `None` if the API accepts the edit.
///
/// The body as it came is only checked if the edited one has a finding.
pub(crate) fn new_finding(sent: &[u8], edited: &[u8]) -> Option<Finding> {
    let context = Context::default();
    let checked = check(edited, Wire::Messages, &context);
    let mut found = checked.refused().peekable();
    found.peek()?;
    let before = check(sent, Wire::Messages, &context);
    let known: HashSet<_> = before.refused().map(|it| (it.rule, &*it.path)).collect();
    found
        .find(|it| !known.contains(&(it.rule, &*it.path)))
        .cloned()
}
