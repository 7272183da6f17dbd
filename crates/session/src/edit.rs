//! Edits by other programs: a file that the model has read and that has changed
//! since.

use aside_attachments::{Attachment, EditedFile};
use aside_messages::conversation::{Entry, EntryDraft};

use crate::file_read::ReadExtent;
use crate::read_state::KnownFile;

/// A file that was changed outside the session, and the entry to report this to
/// the model.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) edited: EditedFile,
    pub(crate) draft: EntryDraft,
    /// The file as the model knows it after delivery.
    pub(crate) now: KnownFile,
}

impl Edit {
    pub(crate) fn new(edited: EditedFile, mut now: KnownFile) -> Option<Self> {
        if !edited.is_shown_whole() && now.read.extent != ReadExtent::Edit {
            // The model does not know the present text, but a later diff is against it.
            now.read.extent = ReadExtent::Stale;
        }
        let drafts = Attachment::EditedTextFile(edited.clone()).into_entries();
        let draft = drafts.into_iter().next()?;
        Some(Self { edited, draft, now })
    }

    /// Returns true for the entry that delivers this edit.
    pub(crate) fn is_delivered_by(&self, entry: &Entry) -> bool {
        entry.origin == self.draft.origin && entry.parts == self.draft.parts
    }
}
