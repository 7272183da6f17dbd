use std::fmt;

use aside_messages::conversation::Entry;
use aside_messages::encode::{Body, BodyHash};
use aside_messages::wire::RawJson;
use aside_models::Usage;
use aside_reminder::Snapshot;

use crate::resume_state::Note;
use crate::session_time::SessionTime;

/// A record of a session, written as it happens, so that another process can
/// continue.
///
/// For a request that was sent, [`sent`](Journal::sent) comes first, then the
/// entries that the request appended to the conversation (persistent
/// reminders), then its response's entry. If the response is missing, the
/// request will be sent again: reminders without an entry have not fired.
pub trait Journal: fmt::Debug + Send {
    /// Records session state next to the conversation. A note comes before the
    /// entries that it belongs to.
    ///
    /// # Errors
    ///
    /// The note cannot be written. The run ends.
    fn note(&mut self, note: &Note) -> Result<(), JournalError>;

    /// Records entries that were appended together, such as a prompt and the
    /// files that it mentions. After a crash, the journal has all of them or
    /// none.
    ///
    /// # Errors
    ///
    /// The entries cannot be written. The run ends.
    fn entries(&mut self, entries: &[Entry]) -> Result<(), JournalError>;

    /// Records a request whose response has a 2xx status.
    ///
    /// # Errors
    ///
    /// The request cannot be written. The run ends.
    fn sent(&mut self, sent: &SentRequest<'_>) -> Result<(), JournalError>;

    /// Records the tokens billed for a request and its response, before the
    /// response's entry. By default nothing is recorded.
    ///
    /// # Errors
    ///
    /// The usage cannot be written. The run ends.
    fn usage(&mut self, usage: Usage) -> Result<(), JournalError> {
        let _ = usage;
        Ok(())
    }

    /// Records how the API edited a request's context, as its response says,
    /// before the answer's entry. By default nothing is recorded.
    ///
    /// # Errors
    /// The same as for [`Journal::entries`].
    fn context_edits(&mut self, context_management: &RawJson) -> Result<(), JournalError> {
        let _ = context_management;
        Ok(())
    }
}

/// Why a [`Journal`] failed.
pub type JournalError = Box<dyn std::error::Error + Send + Sync>;

/// A request whose response has a 2xx status.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SentRequest<'a> {
    /// How many requests the session sent before it.
    pub turn: u64,
    /// The time when it was sent.
    pub time: &'a SessionTime,
    /// All reminders' counters, including this request.
    pub reminders: &'a Snapshot,
    /// Its body's hash, in the Messages API's form.
    pub body: BodyHash,
    /// Its body's length in this form.
    pub bytes: u64,
}

impl<'a> SentRequest<'a> {
    /// Describes a request that was just sent: call this after
    /// [`Prepared::commit`](crate::Prepared::commit), with the session's turn,
    /// time and counters and the request's body.
    #[must_use]
    pub fn new(turn: u64, time: &'a SessionTime, reminders: &'a Snapshot, body: &Body) -> Self {
        Self { turn, time, reminders, body: body.hash(), bytes: body.len() as u64 }
    }
}
