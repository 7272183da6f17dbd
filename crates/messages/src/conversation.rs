//! The conversation that requests are made from: entries with their origin and
//! visibility. [`crate::lower`] turns them into messages.

mod call_ids;
mod cursor;
mod delivery;
mod entry;
mod entry_id;
mod from_request;
mod lines;
mod part;
mod prefix_change;
mod read;
mod turn_state;
mod write;

pub use call_ids::CallIds;
pub use cursor::{Advance, Cursor, RestartReason};
pub use delivery::{Delivery, EphemeralForm, ToolForm, Voice};
pub use entry::{Boundary, Entry, EntryDraft, EntryKind, Origin, Unknown, Visibility};
pub use entry_id::EntryId;
pub use from_request::{ImportedConversation, RequestDifference};
pub use lines::{LineError, LineErrorKind};
pub use part::{Part, ToolCall, ToolInput};
pub use prefix_change::{ChangeStart, PrefixChange, PrefixReset};
pub use turn_state::TurnState;

use std::collections::HashSet;
use std::sync::Arc;

use uuid::Uuid;

/// An append-only list of [`Entry`]s.
///
/// An entry's id follows from the conversation's id and the entry's position,
/// so two conversations with one id must not continue differently: you cannot
/// clone a conversation.
///
/// ```
/// use aside_messages::conversation::{Conversation, EntryDraft};
///
/// let mut conversation = Conversation::new(uuid::Uuid::nil());
/// let next = conversation.entry_id(0);
/// let entry = conversation.push(EntryDraft::human("Find the bug."));
/// assert_eq!(entry.id, next);
/// ```
#[derive(Debug)]
pub struct Conversation {
    id: Uuid,
    entries: Vec<Entry>,
    /// Ids of entries that were read and do not have the id for their position:
    /// no later entry may get one of them.
    ///
    /// Empty for a conversation that was only appended to.
    displaced: HashSet<EntryId>,
    instance: Instance,
}

/// Identifies a [`Conversation`] value: another value with the same id may
/// continue differently.
#[derive(Clone, Debug, Default)]
struct Instance(Arc<()>);

impl PartialEq for Instance {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Two conversations are equal if their ids and entries are.
impl PartialEq for Conversation {
    fn eq(&self, other: &Self) -> bool {
        (self.id, &self.entries) == (other.id, &other.entries)
    }
}

impl Conversation {
    /// Creates an empty conversation. Choose the id yourself.
    #[must_use]
    pub fn new(id: Uuid) -> Self {
        Self { id, entries: Vec::new(), displaced: HashSet::new(), instance: Instance::default() }
    }

    /// Creates a conversation from entries that have their ids already.
    ///
    /// # Errors
    /// Returns the id when two entries share it.
    pub fn from_entries(id: Uuid, entries: Vec<Entry>) -> Result<Self, EntryId> {
        let mut ids = HashSet::with_capacity(entries.len());
        if let Some(duplicate) = entries.iter().find(|entry| !ids.insert(entry.id)) {
            return Err(duplicate.id);
        }
        let mut conversation = Self::new(id);
        for entry in entries {
            conversation.push_with_id(entry);
        }
        Ok(conversation)
    }

    /// Returns the conversation's id.
    #[must_use]
    pub fn id(&self) -> Uuid {
        self.id
    }

    fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Returns the entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The same, without a copy.
    #[must_use]
    pub fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// Appends an entry, gives it its id and returns it.
    ///
    /// The cost does not depend on how long the conversation is.
    pub fn push(&mut self, draft: EntryDraft) -> &Entry {
        let mut entry = draft.with_id(self.entry_id(self.entries.len()));
        // A stream leaves room for more.
        entry.parts.shrink_to_fit();
        self.entries.push(entry);
        self.entries.last().expect("an entry was just pushed")
    }

    /// Returns the id of the entry at `index`, or the id that an entry will get
    /// there.
    ///
    /// It is a UUID v5 over the conversation's id and the decimal index. If an
    /// entry that was read has that id, `.1` is appended to the index, then
    /// `.2` and so on.
    #[must_use]
    pub fn entry_id(&self, index: usize) -> EntryId {
        if let Some(entry) = self.entries.get(index) {
            return entry.id;
        }
        let id = |name: String| EntryId(Uuid::new_v5(&self.id, name.as_bytes()));
        let mut free = id(index.to_string());
        let mut attempt = 0_usize;
        while self.displaced.contains(&free) {
            attempt += 1;
            free = id(format!("{index}.{attempt}"));
        }
        free
    }

    /// Appends an entry that has its id already, which no other entry has.
    fn push_with_id(&mut self, entry: Entry) {
        if entry.id != self.entry_id(self.entries.len()) {
            self.displaced.insert(entry.id);
        }
        self.entries.push(entry);
    }
}
