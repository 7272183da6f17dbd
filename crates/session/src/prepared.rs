//! A prepared request and its effects, which apply when you commit it and are
//! undone when you drop it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use aside_cache_split::{BreakpointPlan, Explanation, TtlDecision};
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{
    Conversation, Delivery, Entry, EntryDraft, EntryId, EntryKind, PrefixChange,
};
use aside_messages::encode::Body;
use aside_messages::lower::{EphemeralReminder, PrefixReset, Tail};
use aside_messages::wire::{Request, Role};
use aside_reminder::{Due, Manager};

use crate::sent_messages::{SentLog, SentMessages};

/// A request that is ready to be sent.
///
/// It has entries that are not yet in the conversation, and reserves the
/// reminders that it delivers. [`Prepared::commit`] appends the entries and
/// counts the reminders. If you drop it without a commit, because the request
/// was not sent, the reminders are due again.
///
/// Send [`body`](Self::body), and commit as soon as the response has a 2xx
/// status: from then on the provider may have cached the request.
#[derive(Debug)]
#[must_use = "what a request took from its session counts only once it is committed"]
pub struct Prepared {
    /// The request's bytes: its body's JSON.
    pub body: Body,
    /// Where the cache markers are, and why.
    pub plan: BreakpointPlan,
    /// The session's decision on how long cache entries live.
    pub ttl: TtlDecision,
    /// Why the prefix was reset, if this request's bytes do not continue the
    /// previous request's.
    pub reset: Option<PrefixReset>,
    /// How many thinking blocks are left out from this request on because the
    /// prefix changed.
    pub lost_thinking: u64,
    /// How reminders and tools are delivered.
    pub delivery: Delivery,
    /// Repairs to messages, and other findings on this request.
    pub diagnostics: Vec<Diagnostic>,
    pub(crate) sent: Sent,
    /// The ids for the entries to append.
    pub(crate) next_ids: Vec<EntryId>,
}

impl Prepared {
    /// Records that the request was sent, that is, that the response has a 2xx
    /// status. The request's entries that are not yet in the conversation are
    /// appended to it, so that the next request continues this one. A second
    /// call has no effect.
    pub fn commit(&mut self, conversation: &mut Conversation) {
        self.sent.commit(conversation);
    }

    /// Returns the entries that [`Prepared::commit`] appends to the
    /// conversation.
    #[must_use]
    pub fn appended(&self) -> Vec<Entry> {
        let pending = self.sent.pending.iter().cloned().zip(&self.next_ids);
        pending.map(|(draft, id)| draft.with_id(*id)).collect()
    }

    /// Returns the request as a typed value. Serialised with serde, it has the
    /// same bytes as [`Prepared::body`].
    #[must_use]
    pub fn request(&self) -> Request {
        self.body.to_request()
    }

    /// Explains each cache marker's purpose and coverage, each omitted one, and
    /// the rule that decided the lifetimes. The time grows with the request.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        self.plan.explain(&self.request()).decided_by(self.ttl)
    }
}

/// What applies once the request was sent.
#[derive(Debug)]
pub(crate) struct Sent {
    reminders: Arc<Manager>,
    pub(crate) due: Vec<Due>,
    /// The request's entries that are not yet in the conversation.
    pub(crate) pending: Vec<EntryDraft>,
    ephemeral: Vec<EphemeralReminder>,
    /// The session's request count; `None` once this request is counted.
    turn: Option<Arc<AtomicU64>>,
    /// The messages, and the session's log; `None` once they are in it.
    pub(crate) messages: Option<(SentLog, SentMessages)>,
}

impl Sent {
    pub(crate) fn new(reminders: Arc<Manager>, due: Vec<Due>, turn: Arc<AtomicU64>) -> Self {
        Self {
            reminders,
            pending: Vec::new(),
            ephemeral: Vec::new(),
            due,
            turn: Some(turn),
            messages: None,
        }
    }

    /// Sets the request's entries, and the reminders that are in no other
    /// request.
    pub(crate) fn with_entries(
        mut self,
        pending: Vec<EntryDraft>,
        ephemeral: Vec<EphemeralReminder>,
    ) -> Self {
        self.pending = pending;
        self.ephemeral = ephemeral;
        // In this order: parts of user messages, persistent system messages,
        // tool changes, turn-scoped messages, and entries that are only
        // recorded.
        self.pending.sort_by_key(place);
        self
    }

    /// Appends the prefix changes that lowering found, and records how many
    /// thinking blocks are lost.
    pub(crate) fn add_changes(&mut self, changes: Vec<PrefixChange>, lost: u64) {
        let changes = changes.into_iter().map(EntryDraft::prefix_change);
        self.pending.extend(changes);
        let first = self.pending.iter_mut().find_map(|entry| match &mut entry.kind {
            EntryKind::PrefixChange(change) => Some(change),
            _ => None,
        });
        if let Some(first) = first {
            first.lost_thinking = lost;
        }
    }

    /// Returns why the prefix first changed.
    pub(crate) fn reset(&self) -> Option<PrefixReset> {
        self.pending.iter().find_map(|entry| match &entry.kind {
            EntryKind::PrefixChange(change) => Some(change.reason),
            _ => None,
        })
    }

    /// Returns what the request adds to its conversation.
    pub(crate) fn tail(&self) -> Tail<'_> {
        Tail { pending: &self.pending, ephemeral: &self.ephemeral }
    }

    fn commit(&mut self, conversation: &mut Conversation) {
        for entry in self.pending.drain(..) {
            conversation.push(entry);
        }
        self.reminders.commit(std::mem::take(&mut self.due));
        if let Some(turn) = self.turn.take() {
            turn.fetch_add(1, Ordering::Relaxed);
        }
        if let Some((log, messages)) = self.messages.take() {
            *log.lock().unwrap_or_else(PoisonError::into_inner) = Some(messages);
        }
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.reminders.release(std::mem::take(&mut self.due));
    }
}

/// Returns an entry's place among the entries of one request.
fn place(entry: &EntryDraft) -> u8 {
    match &entry.kind {
        EntryKind::Message { role: Role::System } => 1,
        EntryKind::ToolChange { .. } => 2,
        EntryKind::TurnScoped => 3,
        EntryKind::Delivery(_) => 4,
        EntryKind::PrefixChange(_) => 5,
        _ => 0,
    }
}
