use aside_messages::conversation::{Conversation, Entry, EntryId};

use super::state::CadenceState;

/// A [`CadenceState`] that goes along with a conversation: the work of a turn
/// depends on what is new, not on what was.
#[derive(Clone, Debug, Default)]
pub struct Follower {
    state: CadenceState,
    /// How many entries were taken up, and the last of them.
    position: Option<(usize, EntryId)>,
}

impl Follower {
    /// Takes up what is new in the conversation, and gives it; all of it,
    /// where it is another one than before.
    pub fn follow<'a>(&mut self, conversation: &'a Conversation) -> &'a [Entry] {
        let entries = conversation.entries();
        let goes_on = self
            .position
            .is_none_or(|(seen, id)| entries.get(seen - 1).is_some_and(|entry| entry.id == id));
        if !goes_on {
            *self = Self::default();
        }
        let seen = self.position.map_or(0, |(seen, _)| seen);
        let new = &entries[seen..];
        self.state.extend(new);
        self.position = entries.last().map(|last| (entries.len(), last.id));
        new
    }

    /// What the conversation says so far.
    #[must_use]
    pub fn state(&self) -> &CadenceState {
        &self.state
    }
}
