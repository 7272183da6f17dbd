use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aside_cache_split::{BreakpointPlan, Explanation, TtlDecision};
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{
    Conversation, Delivery, Entry, EntryDraft, EntryId, EntryKind, PrefixChange, Unknown,
};
use aside_messages::encode::Body;
use aside_messages::lower::{EphemeralReminder, PrefixReset};
use aside_messages::wire::{Request, Role};
use aside_reminder::{Due, Manager};

/// A request that is ready to be sent.
///
/// It holds entries that are not yet in the conversation, and reminders that
/// are reserved. [`Prepared::commit`] appends the former and counts the latter;
/// dropping it, because the request never went out, makes them due again.
#[derive(Debug)]
#[must_use = "what a request took from its session counts only once it is committed"]
pub struct Prepared {
    /// The bytes of the request.
    pub body: Body,
    /// Where the cache markers are, and why.
    pub plan: BreakpointPlan,
    /// The decision of the session on the lifetimes of cache entries.
    pub ttl: TtlDecision,
    /// Why the messages were lowered anew, if they were: the bytes of this
    /// request do not continue those of the last one.
    pub reset: Option<PrefixReset>,
    /// The number of thinking blocks that are not sent any more because the
    /// prefix changed.
    pub lost_thinking: u64,
    /// The form in which reminders and tools are delivered.
    pub delivery: Delivery,
    /// What was mended in the messages.
    pub diagnostics: Vec<Diagnostic>,
    pub(crate) sent: Sent,
    /// The ids of the entries that the next ones will have.
    pub(crate) next_ids: Vec<EntryId>,
}

impl Prepared {
    /// The request went out: headers came back with 2xx. What it held beyond
    /// the conversation that it was prepared from is appended there, so that
    /// the next request continues this one. A second call changes nothing.
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

    /// Returns the request as a typed value; written by serde, it has the bytes
    /// of the body.
    #[must_use]
    pub fn request(&self) -> Request {
        self.body.to_request()
    }

    /// Returns the purpose and the coverage of each cache marker, why other
    /// places have none, and the rule that decided on the lifetimes. The work is in proportion to the request.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        Explanation {
            decision: Some(self.ttl),
            ..self.plan.explain(&self.request())
        }
    }
}

/// What is settled once it is known whether the request went out.
#[derive(Debug)]
pub(crate) struct Sent {
    reminders: Arc<Manager>,
    due: Vec<Due>,
    pending: Vec<EntryDraft>,
    ephemeral: Vec<EphemeralReminder>,
    /// The session's count of requests, until this one is counted.
    turn: Option<Arc<AtomicU64>>,
}

impl Sent {
    pub(crate) fn new(reminders: Arc<Manager>, due: Vec<Due>, turn: Arc<AtomicU64>) -> Self {
        Self {
            reminders,
            pending: Vec::new(),
            ephemeral: Vec::new(),
            due,
            turn: Some(turn),
        }
    }

    /// Sets the entries of the request, and the reminders that are in this
    /// request alone.
    pub(crate) fn with_entries(
        mut self,
        pending: Vec<EntryDraft>,
        ephemeral: Vec<EphemeralReminder>,
    ) -> Self {
        self.pending = pending;
        self.ephemeral = ephemeral;
        // User parts, system messages that stay, tool changes, turn-scoped
        // messages, and what is only recorded.
        self.pending.sort_by_key(place);
        self
    }

    /// Returns the due reminders.
    pub(crate) fn due(&self) -> &[Due] {
        &self.due
    }

    /// Appends changes of the prefix that lowering found, and records how much
    /// thinking is lost.
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

    /// Returns the reason of the first change of the prefix.
    pub(crate) fn reset(&self) -> Option<PrefixReset> {
        self.pending.iter().find_map(|entry| match &entry.kind {
            EntryKind::PrefixChange(change) => Some(change.reason),
            _ => None,
        })
    }

    /// What the request holds beyond the conversation, and what stays of it.
    pub(crate) fn pending(&self) -> &[EntryDraft] {
        &self.pending
    }

    /// Returns the reminders that are in this request alone.
    pub(crate) fn ephemeral(&self) -> &[EphemeralReminder] {
        &self.ephemeral
    }

    fn commit(&mut self, conversation: &mut Conversation) {
        for entry in self.pending.drain(..) {
            conversation.push(entry);
        }
        self.reminders.commit(std::mem::take(&mut self.due));
        if let Some(turn) = self.turn.take() {
            turn.fetch_add(1, Ordering::Relaxed);
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
