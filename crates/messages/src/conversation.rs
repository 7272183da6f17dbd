//! Who said what and why: the source that [`crate::lower`] compiles.

mod entry;
mod lines;
mod part;
mod read;
mod write;

pub use entry::{Boundary, Entry, EntryDraft, EntryId, EntryKind, Origin, Unknown, Visibility};
pub use lines::{LineError, LineErrorKind};
pub use part::{Part, ToolCall, ToolInput};

use std::collections::HashSet;
use std::sync::Arc;

use uuid::Uuid;

/// An append-only list of [`Entry`]s.
///
/// The ids of entries follow from the id of the conversation and their
/// position, so two conversations of one id must not go different ways: a
/// conversation cannot be cloned.
#[derive(Debug)]
pub struct Conversation {
    id: Uuid,
    entries: Vec<Entry>,
    /// Ids of entries that were read and have not the id that their place
    /// gives: an entry to come must not get one of them.
    displaced: HashSet<EntryId>,
    instance: Instance,
}

/// Tells a conversation from another one of the same id, which may go a
/// different way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instance(Arc<()>);

impl PartialEq for Instance {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Equal are conversations in which the same was said.
impl PartialEq for Conversation {
    fn eq(&self, other: &Self) -> bool {
        (self.id, &self.entries) == (other.id, &other.entries)
    }
}

impl Conversation {
    /// An empty conversation.
    #[must_use]
    pub fn new(id: Uuid) -> Self {
        Self {
            id,
            entries: Vec::new(),
            displaced: HashSet::new(),
            instance: Instance::default(),
        }
    }

    /// A conversation of entries that were read one by one.
    ///
    /// # Errors
    /// The id that two of them have.
    pub fn from_entries(id: Uuid, entries: Vec<Entry>) -> Result<Self, EntryId> {
        let mut ids = HashSet::with_capacity(entries.len());
        if let Some(twice) = entries.iter().find(|entry| !ids.insert(entry.id)) {
            return Err(twice.id);
        }
        let mut conversation = Self::new(id);
        for entry in entries {
            conversation.admit(entry);
        }
        Ok(conversation)
    }

    /// The id, chosen by whoever began the conversation.
    #[must_use]
    pub fn id(&self) -> Uuid {
        self.id
    }

    pub(crate) fn instance(&self) -> &Instance {
        &self.instance
    }

    /// What was said, in order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Appends an entry and gives it its id.
    pub fn push(&mut self, draft: EntryDraft) -> &Entry {
        let entry = draft.with_id(self.entry_id(self.entries.len()));
        self.entries.push(entry);
        self.entries.last().expect("an entry was just pushed")
    }

    /// The id of the entry at `index`, there or to come: a UUID v5 of the
    /// conversation's id and the decimal index. Where an entry that was read
    /// has that id, `.1` is put behind the index, then `.2` and so on.
    #[must_use]
    pub fn entry_id(&self, index: usize) -> EntryId {
        if let Some(entry) = self.entries.get(index) {
            return entry.id;
        }
        let id = |name: String| EntryId(Uuid::new_v5(&self.id, name.as_bytes()));
        let mut free = id(index.to_string());
        let mut again = 0_usize;
        while self.displaced.contains(&free) {
            again += 1;
            free = id(format!("{index}.{again}"));
        }
        free
    }

    /// Appends an entry that has its id already, which no other has.
    fn admit(&mut self, entry: Entry) {
        if entry.id != self.entry_id(self.entries.len()) {
            self.displaced.insert(entry.id);
        }
        self.entries.push(entry);
    }
}
