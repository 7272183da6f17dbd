use std::fmt;
use std::time::Duration;

use aside_messages::conversation::Entry;
use aside_messages::encode::BodyHash;
use aside_messages::wire::RawJson;
use aside_models::Usage;
use aside_reminder::Snapshot;

use crate::resume_state::Note;

/// A record of a session, written as it happens, so that another process can continue.
///
/// For a request that was sent, [`sent`](Journal::sent) comes first, then the
/// entries that the request appended to the conversation (persistent
/// reminders), then the entry of its response. If the response is missing, the
/// request will be sent again: reminders without an entry have not fired.
pub trait Journal: fmt::Debug + Send {
    /// Records session state next to the conversation. A note precedes the
    /// entries that it belongs to.
    ///
    /// # Errors
    ///
    /// Returns an error if the note cannot be written. The run ends.
    fn note(&mut self, note: &Note) -> Result<(), JournalError>;

    /// Records entries that were appended together, such as a prompt and the
    /// files that it mentions. After a crash, the journal contains all of them
    /// or none.
    ///
    /// # Errors
    ///
    /// Returns an error if they cannot be written. The run ends.
    fn entries(&mut self, entries: &[Entry]) -> Result<(), JournalError>;

    /// Records a request whose response has a status of 2xx.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be written. The run ends.
    fn sent(&mut self, sent: &SentRequest<'_>) -> Result<(), JournalError>;

    /// Records the billed tokens of a request and its response, before the entry
    /// of the response. By default nothing is recorded.
    ///
    /// # Errors
    ///
    /// Returns an error if they cannot be written. The run ends.
    fn usage(&mut self, usage: Usage) -> Result<(), JournalError> {
        let _ = usage;
        Ok(())
    }

    /// Records the edits of the context that the API applied to a request, as
    /// its response has them, before the entry of the answer. By default nothing
    /// is recorded.
    ///
    /// # Errors
    /// As [`Journal::entries`].
    fn context_edits(&mut self, context_management: &RawJson) -> Result<(), JournalError> {
        let _ = context_management;
        Ok(())
    }
}

/// The error of a [`Journal`].
pub type JournalError = Box<dyn std::error::Error + Send + Sync>;

/// A request whose response has a status of 2xx.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SentRequest<'a> {
    /// The number of requests of the session that were sent before it.
    pub turn: u64,
    /// The age of the session when it was sent.
    pub elapsed: Duration,
    /// The counters of all reminders, this request included.
    pub reminders: &'a Snapshot,
    /// The hash of its body, in the form of the Messages API.
    pub body: BodyHash,
}

impl<'a> SentRequest<'a> {
    /// Describes a request that was just sent: call it after
    /// [`Prepared::commit`](crate::Prepared::commit), with the turn
    /// and the counters of the session and the [hash](aside_messages::encode::Body::hash)
    /// of the body.
    #[must_use]
    pub fn new(turn: u64, elapsed: Duration, reminders: &'a Snapshot, body: BodyHash) -> Self {
        Self {
            turn,
            elapsed,
            reminders,
            body,
        }
    }
}
