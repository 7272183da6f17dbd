use crate::conversation::Entry;

/// Returns the entries from the last boundary on, the boundary included.
///
/// ```text
/// [a, clear, b, compact, c]  →  [compact, c]
/// ```
///
/// Without a boundary, returns all entries. The boundary is kept, because
/// `expand` turns a compaction's into its summary.
pub(crate) fn after_boundary(entries: &[Entry]) -> &[Entry] {
    let start = entries.iter().rposition(Entry::is_boundary).unwrap_or(0);
    &entries[start..]
}
