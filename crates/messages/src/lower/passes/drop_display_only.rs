use crate::conversation::{Entry, EntryKind, Visibility};

/// Leaves out messages that only the user sees.
///
/// Keeps boundaries, snips and other entries that are no messages, whatever
/// their visibility: they have an effect and no text.
pub(crate) fn drop_display_only<'a>(
    entries: impl IntoIterator<Item = &'a Entry>,
) -> impl Iterator<Item = &'a Entry> {
    entries.into_iter().filter(|entry| {
        let is_message = matches!(entry.kind, EntryKind::Message { .. });
        !(is_message && entry.visibility == Visibility::DisplayOnly)
    })
}
