use std::collections::HashSet;

use crate::conversation::{Entry, EntryId, EntryKind};

/// Leaves out messages that were snipped.
///
/// ```text
/// [a, b, c], snipped {b}  →  [a, c]
/// ```
///
/// Only messages can be snipped; any other id has no effect.
pub(crate) fn drop_snipped<'a>(
    entries: impl IntoIterator<Item = &'a Entry>,
    snipped: &HashSet<EntryId>,
) -> impl Iterator<Item = &'a Entry> {
    let is_message = |entry: &Entry| matches!(entry.kind, EntryKind::Message { .. });
    entries.into_iter().filter(move |entry| !(is_message(entry) && snipped.contains(&entry.id)))
}
