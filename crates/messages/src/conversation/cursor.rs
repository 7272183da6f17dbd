//! Reading a conversation incrementally: a reader that keeps state gets the new
//! entries, or learns that its state is void.

use uuid::Uuid;

use super::{Conversation, Entry, EntryId, Instance};

/// A position in a conversation, for state derived from its entries.
///
/// When you fold state over a conversation entry by entry, keep a cursor and
/// ask it before each use which entries to fold. If the conversation does not
/// continue the one seen last, derive the state again.
///
/// ```
/// use aside_messages::conversation::{Conversation, Cursor, EntryDraft};
///
/// #[derive(Default)]
/// struct EntryCount {
///     cursor: Cursor,
///     count: usize,
/// }
///
/// impl EntryCount {
///     fn follow(&mut self, conversation: &Conversation) {
///         let entries = self.cursor.follow(conversation, || self.count = 0);
///         self.count += entries.len();
///     }
/// }
///
/// let id = uuid::Uuid::nil();
/// let mut conversation = Conversation::new(id);
/// conversation.push(EntryDraft::human("one"));
/// conversation.push(EntryDraft::human("two"));
/// let mut state = EntryCount::default();
/// state.follow(&conversation);
/// assert_eq!(state.count, 2);
///
/// // A rewind: the same id and the same position, but another branch.
/// let kept = conversation.entries()[..1].to_vec();
/// let mut fork = Conversation::from_entries(id, kept)?;
/// fork.push(EntryDraft::human("other"));
/// state.follow(&fork);
/// assert_eq!(state.count, 2);
/// # Ok::<(), aside_messages::conversation::EntryId>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    position: Option<Position>,
}

/// Where a conversation ended when it was seen last.
#[derive(Clone, Debug)]
struct Position {
    conversation: Uuid,
    instance: Instance,
    /// How many entries were returned.
    entries: usize,
    last: Option<EntryId>,
}

/// What [`Cursor::advance`] returns.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "the entries are reported once"]
pub enum Advance<'a> {
    /// The conversation continues with these entries. On the first call they
    /// are all entries.
    Continues(&'a [Entry]),
    /// The conversation does not continue the previous one: values derived from
    /// that one are void.
    Restarts {
        /// All entries of the conversation.
        entries: &'a [Entry],
        /// How it differs from the conversation seen last.
        reason: RestartReason,
    },
}

/// Why to restart, as far as a [`Cursor`] can know without reading all entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RestartReason {
    /// The conversation has another id.
    OtherConversation,
    /// The conversation has fewer entries, or another entry at the last
    /// position: it was rewound.
    Rewound,
    /// The conversation has the same entry id at the last position, but is
    /// another [`Conversation`] value. Ids follow from positions, so the
    /// entries may differ: it was rewound and continued differently, or read
    /// again.
    Forked,
}

impl Cursor {
    /// Creates a cursor that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves to the end of the conversation and returns the entries to process.
    /// The cost does not depend on how long the conversation is.
    pub fn advance<'a>(&mut self, conversation: &'a Conversation) -> Advance<'a> {
        let entries = conversation.entries();
        let before = self.position.replace(Position {
            conversation: conversation.id(),
            instance: conversation.instance().clone(),
            entries: entries.len(),
            last: entries.last().map(|last| last.id),
        });
        let Some(before) = before else {
            return Advance::Continues(entries);
        };
        match before.difference(conversation) {
            None => Advance::Continues(&entries[before.entries..]),
            Some(reason) => Advance::Restarts { entries, reason },
        }
    }

    /// Moves to the end of the conversation and returns the entries to process. Calls `restart`
    /// first if they are not those after the last ones.
    pub fn follow<'a>(
        &mut self,
        conversation: &'a Conversation,
        restart: impl FnOnce(),
    ) -> &'a [Entry] {
        match self.advance(conversation) {
            Advance::Continues(entries) => entries,
            Advance::Restarts { entries, .. } => {
                restart();
                entries
            }
        }
    }
}

impl Position {
    /// Returns the difference, if `conversation` does not continue from here.
    fn difference(&self, conversation: &Conversation) -> Option<RestartReason> {
        if self.instance == *conversation.instance() {
            // The same value: entries can only have been appended.
            return None;
        }
        if self.conversation != conversation.id() {
            return Some(RestartReason::OtherConversation);
        }
        let last = match self.entries.checked_sub(1) {
            Some(index) => conversation.entries().get(index).map(|entry| entry.id),
            None => None,
        };
        Some(if last == self.last { RestartReason::Forked } else { RestartReason::Rewound })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::EntryDraft;

    const ID: Uuid = Uuid::from_u128(7);

    fn conversation(id: Uuid, texts: &[&str]) -> Conversation {
        let mut conversation = Conversation::new(id);
        for text in texts {
            conversation.push(EntryDraft::human(*text));
        }
        conversation
    }

    #[track_caller]
    fn check_restart(other: &Conversation, expected: RestartReason) {
        let seen = conversation(ID, &["a", "b"]);
        let mut cursor = Cursor::new();
        assert_eq!(cursor.advance(&seen), Advance::Continues(seen.entries()));
        let restart = Advance::Restarts { entries: other.entries(), reason: expected };
        assert_eq!(cursor.advance(other), restart);
        assert_eq!(cursor.advance(other), Advance::Continues(&[]));
    }

    #[test]
    fn appended_entries_are_reported_once() {
        let mut seen = Conversation::new(ID);
        let mut cursor = Cursor::new();
        assert_eq!(cursor.advance(&seen), Advance::Continues(&[]));
        seen.push(EntryDraft::human("a"));
        seen.push(EntryDraft::human("b"));
        assert_eq!(cursor.advance(&seen), Advance::Continues(seen.entries()));
        seen.push(EntryDraft::human("c"));
        let [.., last] = seen.entries() else { unreachable!("three entries") };
        let expected = std::slice::from_ref(last);
        assert_eq!(cursor.advance(&seen), Advance::Continues(expected));
    }

    #[test]
    fn every_restart_has_its_reason() {
        check_restart(
            &conversation(Uuid::from_u128(8), &["a", "b", "c"]),
            RestartReason::OtherConversation,
        );
        check_restart(&conversation(ID, &["a"]), RestartReason::Rewound);
        // Same position, same id, another branch.
        check_restart(&conversation(ID, &["a", "x", "c"]), RestartReason::Forked);
    }

    #[test]
    fn an_empty_conversation_counts_as_seen() {
        let mut cursor = Cursor::new();
        let _ = cursor.advance(&Conversation::new(ID));
        let other = conversation(ID, &["a"]);
        let restart = Advance::Restarts { entries: other.entries(), reason: RestartReason::Forked };
        assert_eq!(cursor.advance(&other), restart);
    }
}
