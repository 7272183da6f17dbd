//! The check after an edit: placed markers never make the API refuse a request.

use std::collections::HashSet;

use aside_messages::wire::Ttl;
use aside_models::Wire;
use aside_rules::{Context, Finding, check};

use super::edit::Edits;
use super::insert::MAX_MARKERS;
use super::scan::{Block, Scan};

/// Returns true if the markers of an edited body break no rule. `automatic` is the lifetime of its
/// automatic marker, if it has one. False says nothing: a body with markers where the scan does not
/// look needs the whole check.
pub(super) fn has_valid_markers(sent: &Scan, edits: &Edits<'_>, automatic: Option<Ttl>) -> bool {
    let Some(scan) = sent.after(edits, automatic.is_some()) else {
        return false;
    };
    let on_blocks = scan.blocks().flat_map(Block::markers).map(|it| it.ttl);
    let lifetimes: Vec<_> = on_blocks.chain(automatic).collect();
    let is_on_blocks = scan.blocks().all(|it| it.takes_marker || it.markers().next().is_none());
    // The API refuses two lifetimes at the end.
    let last = scan.places().last();
    let is_doubled = automatic.is_some() && last.is_some_and(|it| it.1.markers().next().is_some());
    lifetimes.len() <= MAX_MARKERS
        // One hour before five minutes.
        && lifetimes.is_sorted_by(|one, next| one >= next)
        && is_on_blocks
        && !is_doubled
        && scan.key_count() == lifetimes.len()
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
    found.find(|it| !known.contains(&(it.rule, &*it.path))).cloned()
}
