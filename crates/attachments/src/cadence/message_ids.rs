//! Which messages the model can snip.

use aside_messages::conversation::{Entry, EntryId, EntryKind};
use aside_messages::wire::Role;

/// The messages since the last boundary whose text ends with an id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MessageIds {
    /// Those before the user's last message: the model may remove them.
    older: Vec<EntryId>,
    /// That message and those after it.
    latest: Vec<EntryId>,
}

impl MessageIds {
    pub(super) fn add(&mut self, entry: &Entry) {
        if entry.has_tag() {
            if matches!(entry.kind, EntryKind::Message { role: Role::User }) {
                self.older.append(&mut self.latest);
            }
            self.latest.push(entry.id);
        }
    }

    pub(super) fn remove(&mut self, ids: &[EntryId]) {
        for known in [&mut self.older, &mut self.latest] {
            known.retain(|it| !ids.contains(it));
        }
    }

    /// Returns true if there is a message that the model may remove.
    pub(super) fn is_any_older(&self) -> bool {
        !self.older.is_empty()
    }
}
