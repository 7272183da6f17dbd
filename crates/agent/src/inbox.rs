use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use aside_attachments::QueuedCommand;

/// What was said while the model was working. A [`Loop`](crate::Loop) takes it
/// up before its next request, with what the user mentions in it. Clones are
/// the same inbox.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    queue: Arc<Mutex<VecDeque<QueuedCommand>>>,
}

impl Inbox {
    /// Puts a message in, behind those that wait already.
    pub fn push(&self, message: QueuedCommand) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.push_back(message);
    }

    /// Puts messages that were taken out ahead of those that wait.
    pub(crate) fn put_back(&self, mut messages: VecDeque<QueuedCommand>) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        messages.append(&mut queue);
        *queue = messages;
    }

    /// Takes out what waits, oldest first.
    #[must_use]
    pub fn take(&self) -> VecDeque<QueuedCommand> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut queue)
    }
}
