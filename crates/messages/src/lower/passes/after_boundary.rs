use crate::conversation::{Entry, EntryKind};

/// Returns the entries from the last boundary on, the boundary included.
pub(crate) fn after_boundary(entries: &[Entry]) -> &[Entry] {
    let is_boundary = |entry: &Entry| matches!(entry.kind, EntryKind::Boundary(_));
    let start = entries.iter().rposition(is_boundary).unwrap_or(0);
    &entries[start..]
}
