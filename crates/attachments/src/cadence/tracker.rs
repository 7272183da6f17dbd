use aside_messages::Tokenizer;
use aside_messages::conversation::{Conversation, Cursor, Entry};

use super::state::CadenceState;

/// A [`CadenceState`] that follows one conversation. An update takes work
/// proportional to the new entries.
///
/// ```
/// use aside_attachments::cadence::{CadenceInputs, CadenceTracker};
/// use aside_messages::conversation::{Conversation, EntryDraft};
///
/// let mut conversation = Conversation::new(uuid::Uuid::nil());
/// conversation.push(EntryDraft::human("Hello"));
/// let mut tracker = CadenceTracker::default();
/// assert_eq!(tracker.update(&conversation).len(), 1);
/// assert_eq!(tracker.update(&conversation).len(), 0);
/// assert_eq!(tracker.state().due(&CadenceInputs::default()), []);
/// ```
#[derive(Clone, Debug, Default)]
pub struct CadenceTracker {
    family: Tokenizer,
    state: CadenceState,
    cursor: Cursor,
}

impl CadenceTracker {
    /// Creates a tracker for an empty conversation, which estimates tokens with
    /// this tokenizer.
    #[must_use]
    pub fn new(family: Tokenizer) -> Self {
        Self {
            family,
            state: CadenceState::new().with_tokenizer(family),
            cursor: Cursor::default(),
        }
    }

    /// Applies and returns the conversation's new entries. Starts over when the
    /// conversation does not continue the one from the last update.
    pub fn update<'a>(&mut self, conversation: &'a Conversation) -> &'a [Entry] {
        let restart = || self.state = CadenceState::new().with_tokenizer(self.family);
        let entries = self.cursor.follow(conversation, restart);
        self.state.extend(entries);
        entries
    }

    /// Returns the state after the last update.
    #[must_use]
    pub fn state(&self) -> &CadenceState {
        &self.state
    }
}
