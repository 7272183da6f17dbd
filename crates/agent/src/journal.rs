use std::fmt;
use std::time::Duration;

use aside_messages::conversation::Entry;
use aside_messages::encode::Body;

/// Writes down what a [`Loop`](crate::Loop) does, as it happens: whoever has
/// read it can go on where the loop stood.
///
/// Of a request that went out, first the entries come that it brought into the
/// conversation (persistent reminders), then the request, then the entry with
/// its answer.
pub trait Journal: fmt::Debug + Send {
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
    /// How long the session had gone on by then, where anybody told the loop
    /// what time it is.
    pub elapsed: Duration,
    /// Its bytes.
    pub body: &'a Body,
}
