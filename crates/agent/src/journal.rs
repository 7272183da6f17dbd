use std::fmt;
use std::time::Duration;

use aside_messages::conversation::Entry;
use aside_messages::encode::Body;
use aside_reminder::Snapshot;

use crate::past::Note;

/// Writes down what a [`Loop`](crate::Loop) does, as it happens: whoever has
/// read it can go on where the loop stood.
///
/// Of a request that went out, the request comes first, then the entries that
/// it brought into the conversation (persistent reminders), then the entry
/// with its answer. Where the answer is missing, the request will be sent
/// again: reminders that have no entry behind it have not fired.
pub trait Journal: fmt::Debug + Send {
    /// The session has something to remember, beside the conversation. It
    /// comes ahead of the entries that it goes with.
    ///
    /// # Errors
    /// As [`Journal::entry`].
    fn note(&mut self, note: &Note) -> Result<(), JournalError>;

    /// An entry was appended.
    ///
    /// # Errors
    /// What keeps it from being written. The loop ends.
    fn entry(&mut self, entry: &Entry) -> Result<(), JournalError>;

    /// A request went out: headers came back with 2xx.
    ///
    /// # Errors
    /// As [`Journal::entry`].
    fn sent(&mut self, sent: &SentRequest<'_>) -> Result<(), JournalError>;
}

/// Why something could not be written down.
pub type JournalError = Box<dyn std::error::Error + Send + Sync>;

/// A request that went out.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SentRequest<'a> {
    /// How many requests of the session went out before it.
    pub turn: u64,
    /// How long the session had gone on by then.
    pub elapsed: Duration,
    /// How often each reminder has fired, those of this request included.
    pub reminders: &'a Snapshot,
    /// Its bytes.
    pub body: &'a Body,
}
