use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aside_cache_split::{BreakpointPlan, Explanation};
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{Conversation, EntryDraft};
use aside_messages::encode::Body;
use aside_messages::lower::{EphemeralReminder, PrefixReset};
use aside_messages::wire::Request;
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
    /// Why the messages were lowered anew, if they were: the bytes of this
    /// request do not continue those of the last one.
    pub reset: Option<PrefixReset>,
    /// What was mended in the messages.
    pub diagnostics: Vec<Diagnostic>,
    pub(crate) sent: Sent,
}

impl Prepared {
    /// The request went out: headers came back with 2xx. What it held beyond
    /// the conversation that it was prepared from is appended there, so that
    /// the next request continues this one. A second call changes nothing.
    pub fn commit(&mut self, conversation: &mut Conversation) {
        self.sent.commit(conversation);
    }

    /// Returns the request as a typed value; written by serde, it has the bytes
    /// of the body.
    #[must_use]
    pub fn request(&self) -> Request {
        self.body.to_request()
    }

    /// Returns the purpose and the coverage of each cache marker, and why other
    /// places have none. The work is in proportion to the request.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        self.plan.explain(&self.request())
    }
}

/// What is settled once it is known whether the request went out.
#[derive(Debug)]
pub(crate) struct Sent {
    reminders: Arc<Manager>,
    due: Vec<Due>,
    pending: Vec<EntryDraft>,
    /// The session's count of requests, until this one is counted.
    turn: Option<Arc<AtomicU64>>,
}

impl Sent {
    pub(crate) fn new(reminders: Arc<Manager>, due: Vec<Due>, turn: Arc<AtomicU64>) -> Self {
        Self {
            reminders,
            pending: aside_reminder::entries(&due),
            due,
            turn: Some(turn),
        }
    }

    /// The same, with attachments ahead of the reminders, which come last for
    /// more attention.
    pub(crate) fn behind(mut self, attachments: Vec<EntryDraft>) -> Self {
        self.pending.splice(0..0, attachments);
        self
    }

    /// What the request holds beyond the conversation, and what stays of it.
    pub(crate) fn pending(&self) -> &[EntryDraft] {
        &self.pending
    }

    /// The reminders that are in this request alone.
    pub(crate) fn ephemeral(&self) -> Vec<EphemeralReminder> {
        let reminder = |due: &Due| EphemeralReminder {
            id: due.id.as_str().into(),
            body: due.content.as_str().into(),
        };
        let ephemeral = self.due.iter().filter(|due| due.is_ephemeral());
        ephemeral.map(reminder).collect()
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
