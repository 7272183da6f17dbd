//! What one request adds to its conversation: entries that are not appended
//! yet, and ephemeral reminders.

use std::sync::Arc;

use crate::conversation::EntryDraft;

/// What a request adds to its conversation.
///
/// ```
/// use aside_messages::conversation::{Conversation, EntryDraft};
/// use aside_messages::lower::{EphemeralReminder, LowerOptions, Lowerer, Tail};
///
/// let mut conversation = Conversation::new(uuid::Uuid::nil());
/// conversation.push(EntryDraft::human("Go on."));
/// let reminders = [EphemeralReminder {
///     id: "todo".into(),
///     body: "The list of todos is empty.".into(),
/// }];
/// let tail = Tail {
///     ephemeral: &reminders,
///     ..Tail::default()
/// };
/// let mut lowerer = Lowerer::new(LowerOptions::default());
/// let lowered = lowerer.lower(&conversation, tail)?;
/// assert!(lowered.tail()[0].blocks()[0].volatile);
/// # Ok::<(), aside_messages::lower::LowerError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Tail<'a> {
    /// Entries to append to the conversation once the request was sent. They
    /// are lowered as if they were appended already.
    pub pending: &'a [EntryDraft],
    /// Reminders for this request only.
    pub ephemeral: &'a [EphemeralReminder],
}

/// A reminder that is in one request and not in the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EphemeralReminder {
    /// The reminder's id.
    pub id: Arc<str>,
    /// The text between the tags.
    pub body: Arc<str>,
}
