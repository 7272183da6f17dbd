//! User messages, before and during a run.

use std::sync::Arc;

use aside_attachments::{QueuedCommand, QueuedOrigin};
use aside_messages::conversation::{Entry, EntryDraft, EntryKind, TurnState, Visibility};

use super::Loop;
use crate::compaction::Command;
use crate::outcome::LoopError;
use crate::progress::Progress;

/// Continues a turn.
pub(super) const CONTINUE: &str = "Continue with the task.";

impl Loop {
    /// Appends a user message, and the files and resources that it mentions if
    /// they exist. `/compact`, with or without instructions, and `/clear` are
    /// commands, which the next run executes first.
    ///
    /// If you drop the future, nothing changes.
    ///
    /// # Errors
    ///
    /// Returns an error when the journal cannot be written.
    pub async fn prompt(&mut self, text: &str) -> Result<(), LoopError> {
        if let Some(command) = Command::parse(text) {
            self.commands.push_back(command);
            return Ok(());
        }
        self.task(text).await
    }

    /// Like [`Loop::prompt`], for a text that no user wrote: it is never a
    /// command.
    ///
    /// # Errors
    ///
    /// Returns an error when the journal cannot be written.
    pub async fn task(&mut self, text: &str) -> Result<(), LoopError> {
        let mentioned = self.mentioned(text).await;
        self.append(EntryDraft::human(text), mentioned)
    }

    /// Appends an entry and writes it to the journal.
    ///
    /// # Errors
    ///
    /// Returns an error when the journal cannot be written.
    pub fn push(&mut self, entry: EntryDraft) -> Result<(), LoopError> {
        self.append(entry, Vec::new())
    }

    /// Appends the messages in the [inbox](Loop::inbox) with the files that
    /// they mention, and writes them to the journal. A run does this before
    /// each of its requests. Call it for messages that arrive after the last
    /// request, so that a later process responds to them.
    ///
    /// While the model waits for results, the messages stay for the next run. A
    /// paused response is not continued after them, as after a prompt. If you
    /// drop the future, the current message and those after it stay in the
    /// queue.
    ///
    /// # Errors
    ///
    /// Returns an error when the journal cannot be written.
    pub async fn append_queued_messages(&mut self) -> Result<(), LoopError> {
        if let TurnState::Calls(_) = TurnState::from_entries(self.conversation.entries()) {
            return Ok(());
        }
        self.queued.extend(self.inbox.take());
        while let Some(text) = self.queued.front().map(text_with_mentions) {
            let mentioned = match text {
                Some(text) => self.mentioned(&text).await,
                None => Vec::new(),
            };
            // There is no await from here on, so the message is appended as a
            // whole.
            let Some(message) = self.queued.pop_front() else {
                break;
            };
            let of_user = text_with_mentions(&message);
            if let Some(command) = of_user.and_then(|text| Command::parse(&text)) {
                self.commands.push_back(command);
                self.observe(Progress::Command(&message.text));
                // Later user messages follow the command.
                break;
            }
            let at = self.conversation.entries().len();
            let written = self.append(message.into_entry(), mentioned);
            // The message is reported even if the mentioned files could not be
            // written.
            if self.written > at
                && let Some(observer) = &mut self.observer
            {
                observer.observe(Progress::Queued(&self.conversation.entries()[at]));
            }
            written?;
        }
        Ok(())
    }

    /// Continues a turn that was aborted, with or without an incomplete
    /// response. Returns false if the last turn was not aborted.
    ///
    /// # Errors
    ///
    /// Returns an error when the journal cannot be written.
    pub fn continue_aborted(&mut self) -> Result<bool, LoopError> {
        let entries = self.conversation.entries().iter().rev();
        let recorded = |entry: &&Entry| {
            matches!(entry.kind, EntryKind::Delivery(_) | EntryKind::PrefixChange(_))
        };
        let last = entries.into_iter().find(|entry| !recorded(entry));
        let was_aborted = last.is_some_and(|entry| entry.kind == EntryKind::Aborted);
        if was_aborted {
            self.push(EntryDraft::human(CONTINUE).with_visibility(Visibility::Meta))?;
        }
        Ok(was_aborted)
    }

    /// Returns true if no message needs a response: a run would only append the
    /// messages in the inbox, or end at once.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        TurnState::from_entries(self.conversation.entries()) == TurnState::Idle
    }

    /// Appends an entry and the entries that it mentions, and writes them to
    /// the journal.
    fn append(&mut self, entry: EntryDraft, mentioned: Vec<EntryDraft>) -> Result<(), LoopError> {
        self.conversation.push(entry);
        for entry in mentioned {
            self.conversation.push(entry);
        }
        self.write()
    }

    /// Returns entries for the mentions in a text.
    async fn mentioned(&mut self, text: &str) -> Vec<EntryDraft> {
        self.read_resources(text).await;
        let Some(files) = self.files.clone() else {
            return Vec::new();
        };
        self.session.expect_edits();
        let (mentioned, faults) = self.session.resolve_mentions(text, files).await;
        self.report(&faults);
        mentioned
    }
}

/// Returns a message's text if mentions in it are resolved. Only the user's
/// messages can open a file.
fn text_with_mentions(message: &QueuedCommand) -> Option<Arc<str>> {
    (message.origin == QueuedOrigin::Human).then(|| message.text.clone())
}
