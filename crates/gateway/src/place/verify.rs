//! The check after an edit: placed markers never make the API refuse a request.

use std::collections::HashSet;

use aside_models::Wire;
use aside_rules::{Context, Finding, check};

use super::insert::MAX_MARKERS;
use super::key_count;
use super::scan::{Block, Scan};

/// Returns true if a body's markers break no rule. False says nothing: a body with an automatic
/// marker, or with markers where the scan does not look, needs the whole check.
pub(crate) fn has_valid_markers(edited: &[u8]) -> bool {
    let (Some(scan), Ok(text)) = (Scan::of(edited), str::from_utf8(edited)) else {
        return false;
    };
    let mut markers = scan.blocks().flat_map(Block::markers);
    let count = markers.by_ref().count();
    let mut lifetimes = scan.blocks().flat_map(Block::markers).map(|it| it.ttl);
    // One hour before five minutes.
    let is_in_order = lifetimes.by_ref().is_sorted_by(|one, next| one >= next);
    let is_on_blocks = scan
        .blocks()
        .all(|it| it.takes_marker || it.markers().next().is_none());
    count <= MAX_MARKERS
        && is_in_order
        && is_on_blocks
        && scan.automatic().is_none()
        && key_count(text) == count
}

/// Returns the first finding that the edited body has and the original has not, or `None` if the
/// API accepts the edit.
///
/// The original is only checked if the edited body has a finding.
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
