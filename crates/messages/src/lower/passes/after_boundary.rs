use crate::conversation::{Entry, EntryKind};

/// Returns the entries from the last boundary on, the boundary included.
///
/// ```text
/// [a, clear, b, compact, c]  →  [compact, c]
/// ```
///
/// Without a boundary, returns all entries. The boundary is kept, because
/// `expand` turns a compaction's into its summary.
pub(crate) fn after_boundary(entries: &[Entry]) -> &[Entry] {
    let is_boundary = |entry: &Entry| matches!(entry.kind, EntryKind::Boundary(_));
    let start = entries.iter().rposition(is_boundary).unwrap_or(0);
    &entries[start..]
}
