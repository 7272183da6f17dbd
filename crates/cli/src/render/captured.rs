//! A request as a session prepared it, before conversion for a provider.

use aside_cache_split::{BreakpointPlan, Explanation, TtlDecision};
use aside_messages::conversation::{Conversation, Delivery, Entry, PrefixReset};
use aside_messages::encode::Body;
use aside_messages::wire::Message;
use aside_session::Prepared;
use serde::Serialize;

/// A copy of what to print from a prepared request, which its session may take
/// back.
#[derive(Debug)]
pub(crate) struct Captured {
    /// The body on the Messages API wire.
    pub(crate) body: Body,
    /// The request's entries, to find where bytes come from.
    pub(crate) entries: Vec<Entry>,
    /// What the caller stores before the response.
    pub(super) append: Append,
    pub(super) plan: BreakpointPlan,
    ttl: TtlDecision,
    /// How to deliver reminders, harness text and tools to this model.
    pub(super) delivery: Delivery,
    /// Why the request does not continue the previous one.
    pub(super) reset: Option<PrefixReset>,
    /// How many thinking blocks this reset keeps from being sent.
    pub(super) lost_thinking: u64,
}

/// What a request adds to its history, in the history's form.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Append {
    /// Entries to append to a conversation.
    Entries(Vec<Entry>),
    /// Messages, as in the Messages API.
    Messages(Vec<Message>),
}

impl Append {
    /// Returns true when the caller has nothing to store.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Entries(entries) => entries.is_empty(),
            Self::Messages(messages) => messages.is_empty(),
        }
    }
}

impl Captured {
    /// Copies a prepared request. The conversation's entries are added when the
    /// session has ended.
    pub(crate) fn from_prepared(prepared: &Prepared) -> Self {
        Self {
            body: prepared.body.clone(),
            entries: Vec::new(),
            append: Append::Entries(prepared.appended()),
            plan: prepared.plan.clone(),
            ttl: prepared.ttl,
            delivery: prepared.delivery.clone(),
            reset: prepared.reset,
            lost_thinking: prepared.lost_thinking,
        }
    }

    /// Adds the conversation's entries, and those that the request appends.
    pub(crate) fn with_entries(self, conversation: &Conversation) -> Self {
        let mut entries = conversation.entries().to_vec();
        if let Append::Entries(appended) = &self.append {
            entries.extend_from_slice(appended);
        }
        Self { entries, ..self }
    }

    /// Explains why cache markers are where they are, with estimated tokens.
    pub(crate) fn explain(&self) -> Explanation {
        let request = self.body.to_request();
        self.plan.explain(&request).decided_by(self.ttl)
    }
}
