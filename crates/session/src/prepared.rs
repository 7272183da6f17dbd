//! A prepared request and its effects, which apply when it is committed and are
//! undone when it is dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aside_cache_split::{BreakpointPlan, Explanation, TtlDecision};
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{
    Conversation, Delivery, Entry, EntryDraft, EntryId, EntryKind, PrefixChange, Unknown,
};
use aside_messages::encode::Body;
use aside_messages::lower::{EphemeralReminder, PrefixReset, Tail};
use aside_messages::wire::{Request, Role};
use aside_reminder::{Due, Manager};

use crate::sent_messages::{SentLog, SentMessages};

/// A request that is ready to be sent.
///
/// It contains entries that are not yet in the conversation, and reserves the
/// reminders that it delivers. [`Prepared::commit`] appends the entries and
/// counts the reminders. Dropping it without a commit, because the request was
/// not sent, makes the reminders due again.
///
/// A caller sends [`body`](Self::body), and commits as soon as the status of
/// the response is 2xx: from then on the provider may have cached the request.
#[derive(Debug)]
#[must_use = "what a request took from its session counts only once it is committed"]
pub struct Prepared {
    /// The bytes of the request: the JSON of its body.
    pub body: Body,
    /// The positions of the cache markers, and the reason for each.
    pub plan: BreakpointPlan,
    /// The decision of the session on the lifetimes of cache entries.
    pub ttl: TtlDecision,
    /// The reason of the prefix reset, if the bytes of this request do not
    /// continue those of the request before it.
    pub reset: Option<PrefixReset>,
    /// The number of thinking blocks that are left out from this request on
    /// because the prefix changed.
    pub lost_thinking: u64,
    /// The form in which reminders and tools are delivered.
    pub delivery: Delivery,
    /// The repairs of the messages, and other findings of this request.
    pub diagnostics: Vec<Diagnostic>,
    pub(crate) sent: Sent,
    /// The ids of the entries that will be appended.
    pub(crate) next_ids: Vec<EntryId>,
}

impl Prepared {
    /// Records that the request was sent, that is, that the response has a
    /// status of 2xx. Entries of the request that are not yet in the
    /// conversation are appended to it, so that the next request continues this
    /// one. A second call has no effect.
    pub fn commit(&mut self, conversation: &mut Conversation) {
        self.sent.commit(conversation);
    }

    /// Returns the entries that [`Prepared::commit`] appends to the conversation.
    #[must_use]
    pub fn appended(&self) -> Vec<Entry> {
        let pending = self.sent.pending().iter().cloned().zip(&self.next_ids);
        let entries = pending.map(|(draft, id)| Entry {
            id: *id,
            kind: draft.kind,
            visibility: draft.visibility,
            origin: draft.origin,
            parts: draft.parts,
            display: draft.display,
            unknown: Unknown::default(),
        });
        entries.collect()
    }

    /// Returns the request as a typed value. Serialised with serde, it has the
    /// bytes of [`Prepared::body`].
    #[must_use]
    pub fn request(&self) -> Request {
        self.body.to_request()
    }

    /// Returns the purpose and the coverage of each cache marker, the reason
    /// for each omitted one, and the rule that decided the lifetimes. Takes
    /// time in proportion to the size of the request.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        Explanation {
            decision: Some(self.ttl),
            ..self.plan.explain(&self.request())
        }
    }
}

/// Effects that apply once the request was sent.
#[derive(Debug)]
pub(crate) struct Sent {
    reminders: Arc<Manager>,
    due: Vec<Due>,
    pending: Vec<EntryDraft>,
    ephemeral: Vec<EphemeralReminder>,
    /// The session's count of requests; `None` once this one is counted.
    turn: Option<Arc<AtomicU64>>,
    /// The messages, and the log of the session; `None` once they are in it.
    messages: Option<(Arc<SentLog>, SentMessages)>,
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

    /// Sets the entries of the request, and the reminders that are in no other
    /// request.
    pub(crate) fn with_entries(
        mut self,
        pending: Vec<EntryDraft>,
        ephemeral: Vec<EphemeralReminder>,
    ) -> Self {
        self.pending = pending;
        self.ephemeral = ephemeral;
        // In order: parts of user messages, persistent system messages, tool
        // changes, turn-scoped messages, and entries that are only recorded.
        self.pending.sort_by_key(place);
        self
    }

    /// Returns the due reminders.
    pub(crate) fn due(&self) -> &[Due] {
        &self.due
    }

    /// Appends the changes of the prefix that lowering found, and records the
    /// number of lost thinking blocks.
    pub(crate) fn add_changes(&mut self, changes: Vec<PrefixChange>, lost: u64) {
        let changes = changes.into_iter().map(EntryDraft::prefix_change);
        self.pending.extend(changes);
        let first = self
            .pending
            .iter_mut()
            .find_map(|entry| match &mut entry.kind {
                EntryKind::PrefixChange(change) => Some(change),
                _ => None,
            });
        if let Some(first) = first {
            first.lost_thinking = lost;
        }
    }

    /// Appends a change of the prefix.
    pub(crate) fn add_change(&mut self, change: PrefixChange) {
        self.pending.push(EntryDraft::prefix_change(change));
    }

    /// Sets the messages, to be added to the log of the session.
    pub(crate) fn set_messages(&mut self, log: Arc<SentLog>, messages: SentMessages) {
        self.messages = Some((log, messages));
    }

    /// Returns the reason of the first change of the prefix.
    pub(crate) fn reset(&self) -> Option<PrefixReset> {
        self.pending.iter().find_map(|entry| match &entry.kind {
            EntryKind::PrefixChange(change) => Some(change.reason),
            _ => None,
        })
    }

    /// Returns the entries of the request that are not yet in the conversation.
    pub(crate) fn pending(&self) -> &[EntryDraft] {
        &self.pending
    }

    /// Returns the additions of the request to its conversation.
    pub(crate) fn tail(&self) -> Tail<'_> {
        Tail {
            pending: &self.pending,
            ephemeral: &self.ephemeral,
        }
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
            log.push(messages);
        }
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.reminders.release(std::mem::take(&mut self.due));
    }
}

/// Returns the place of an entry among those of one request.
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
