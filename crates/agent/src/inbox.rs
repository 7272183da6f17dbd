use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use aside_attachments::QueuedCommand;

/// Messages that arrive while the model is working. Before its next request, a
/// [`Loop`](crate::Loop) appends them, with the files that the user mentions in
/// them. Clones are the same inbox.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    queue: Arc<Mutex<VecDeque<QueuedCommand>>>,
}

impl Inbox {
    /// Adds a message after those that are waiting.
    pub fn push(&self, message: QueuedCommand) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.push_back(message);
    }

    /// Puts messages that were taken out before those that are waiting.
    pub(crate) fn put_back(&self, mut messages: VecDeque<QueuedCommand>) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        messages.append(&mut queue);
        *queue = messages;
    }

    /// Takes all waiting messages, oldest first.
    #[must_use]
    pub fn take(&self) -> VecDeque<QueuedCommand> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut queue)
    }
}
