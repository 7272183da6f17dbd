//! What people say, before a run and while it goes on.

use std::sync::Arc;

use aside_attachments::{QueuedCommand, QueuedOrigin};
use aside_messages::conversation::{Entry, EntryDraft, EntryKind, Visibility};

use super::Loop;
use crate::compaction::Command;
use crate::outcome::LoopError;
use crate::progress::Progress;
use crate::turn_state::TurnState;

/// The words that continue a turn.
pub(super) const CONTINUE: &str = "Continue with the task.";

impl Loop {
    /// Appends what the human says, and behind it the files and other things
    /// that they mention, as far as they are found. `/compact`, with or without
    /// instructions, and `/clear` are commands, which the next run executes
    /// first.
    ///
    /// Dropping the future leaves everything as it was.
    ///
    /// # Errors
    /// Where it cannot be written down.
    pub async fn prompt(&mut self, text: &str) -> Result<(), LoopError> {
        if let Some(command) = Command::parse(text) {
            self.commands.push_back(command);
            return Ok(());
        }
        let mentioned = self.mentioned(text).await;
        self.append(EntryDraft::human(text), mentioned)
    }

    /// Appends an entry and writes it down.
    ///
    /// # Errors
    /// Where it cannot be written down.
    pub fn push(&mut self, entry: EntryDraft) -> Result<(), LoopError> {
        self.append(entry, Vec::new())
    }

    /// Appends what came into the [inbox](Loop::inbox), with what the human
    /// mentions there, and writes it down. A run does that by itself before
    /// each of its requests; this is for what came in too late for them, so
    /// that whoever goes on answers it.
    ///
    /// Where the model waits for results, or for leave to go on, nobody comes
    /// between: what came in waits for the next run. Dropping the future
    /// leaves the message that it was at, and those behind it, for the next
    /// time.
    ///
    /// # Errors
    /// Where it cannot be written down.
    pub async fn take_up_messages(&mut self) -> Result<(), LoopError> {
        if let TurnState::Calls(_) | TurnState::Paused = TurnState::of(self.conversation.entries())
        {
            return Ok(());
        }
        self.heard.extend(self.inbox.take());
        while let Some(text) = self.heard.front().map(asked_for) {
            let mentioned = match text {
                Some(text) => self.mentioned(&text).await,
                None => Vec::new(),
            };
            // Nothing waits from here on: it is taken up as a whole.
            let Some(message) = self.heard.pop_front() else {
                break;
            };
            let of_user = asked_for(&message);
            if let Some(command) = of_user.and_then(|text| Command::parse(&text)) {
                self.commands.push_back(command);
                self.observe(Progress::Command(&message.text));
                // What follows is said after it.
                break;
            }
            let at = self.conversation.entries().len();
            let written = self.append(message.into_entry(), mentioned);
            // Also where what it mentions could not be written down.
            if self.written > at
                && let Some(observer) = &mut self.observer
            {
                observer.observe(Progress::Queued(&self.conversation.entries()[at]));
            }
            written?;
        }
        Ok(())
    }

    /// Records that the last answer broke off, so that the turn can be
    /// continued.
    pub(super) fn mark_aborted(&mut self) -> Result<(), LoopError> {
        let last = self.conversation.entries().last();
        if last.is_none_or(|entry| entry.kind != EntryKind::Aborted) {
            self.push(EntryDraft::aborted())?;
        }
        Ok(())
    }

    /// Continues a turn that was aborted: with an answer that broke off, or with
    /// none. Returns false if the last turn was not aborted.
    ///
    /// # Errors
    /// If the entry cannot be stored.
    pub fn continue_aborted(&mut self) -> Result<bool, LoopError> {
        let entries = self.conversation.entries().iter().rev();
        let recorded = |entry: &&Entry| {
            matches!(
                entry.kind,
                EntryKind::Delivery(_) | EntryKind::PrefixChange(_)
            )
        };
        let last = entries.into_iter().find(|entry| !recorded(entry));
        let was_aborted = last.is_some_and(|entry| entry.kind == EntryKind::Aborted);
        if was_aborted {
            self.push(EntryDraft::human(CONTINUE).with_visibility(Visibility::Meta))?;
        }
        Ok(was_aborted)
    }

    /// Whether there is nothing to answer: a run would take up what is in the
    /// inbox, or else end at once.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        TurnState::of(self.conversation.entries()) == TurnState::Idle
    }

    /// Appends an entry and what is mentioned in it, and writes them down.
    fn append(&mut self, entry: EntryDraft, mentioned: Vec<EntryDraft>) -> Result<(), LoopError> {
        self.conversation.push(entry);
        for entry in mentioned {
            self.conversation.push(entry);
        }
        self.write()
    }

    /// What the human mentions in a text.
    async fn mentioned(&mut self, text: &str) -> Vec<EntryDraft> {
        let Some(files) = self.files.clone() else {
            return Vec::new();
        };
        let (mentioned, faults) = self.session.resolve_mentions(text, files).await;
        self.tell(&faults);
        mentioned
    }
}

/// The text of a message whose mentions are looked up: what others than the
/// user write opens no file.
fn asked_for(message: &QueuedCommand) -> Option<Arc<str>> {
    (message.origin == QueuedOrigin::Human).then(|| message.text.clone())
}
