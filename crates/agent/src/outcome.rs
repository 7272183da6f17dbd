use std::fmt;
use std::time::Duration;

use aside_messages::lower::PrefixReset;
use aside_providers::Usage;

use crate::client_error::ClientError;
use crate::journal::JournalError;
use aside_session::PrepareError;

/// How far a [`Loop`](crate::Loop) goes in one run. By default there is no
/// limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most requests.
    pub turns: Option<u64>,
    /// The most tokens, of requests (cached or not) and answers together. No
    /// request goes out once there were as many; the last answer may go beyond.
    pub tokens: Option<u64>,
    /// The longest time. What is going on then is cancelled. Needs the timer of
    /// a tokio runtime.
    pub time: Option<Duration>,
}

/// A limit of [`Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// [`Limits::turns`]
    Turns,
    /// [`Limits::tokens`]
    Tokens,
    /// [`Limits::time`]
    Time,
}

/// How a run of a [`Loop`](crate::Loop) ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Why it ended.
    pub outcome: Outcome,
    /// How many requests went out.
    pub requests: u64,
    /// The tokens that the provider counted: those of an answer that broke off
    /// may be missing.
    pub usage: Usage,
    /// The requests that did not continue the bytes of the one before.
    pub resets: Vec<ReportedReset>,
}

/// A reset of the prefix in a [`Report`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReportedReset {
    /// Why it was reset.
    pub reason: PrefixReset,
    /// The number of thinking blocks that are not sent any more.
    pub lost_thinking: u64,
}

/// Why a run of a [`Loop`](crate::Loop) ended. After each of them the
/// conversation can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// There was nothing to answer.
    Idle,
    /// The model has said what it had to say.
    Done,
    /// The answer became too long, and ends in the midst. Calls in it were not
    /// run.
    MaxTokens,
    /// The model, or a filter, does not want to answer. The same conversation
    /// will be refused again.
    Refused,
    /// The conversation is longer than what the model reads: it has to be
    /// compacted. What the provider says about it, where it says something.
    ContextFull(Option<String>),
    /// The API refused earlier thinking, and refused the request without it as
    /// well. What the provider says about it.
    ThinkingRefused(String),
    /// A limit was reached. Running on goes on from here; after
    /// [`Limit::Time`], what was going on is aborted.
    Limit(Limit),
    /// Somebody cancelled. What was going on is aborted.
    Cancelled,
    /// For a reason that is not known here, as the provider calls it.
    Stopped(String),
}

/// Why a [`Loop`](crate::Loop) cannot go on by itself.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoopError {
    /// There is no request.
    Prepare(PrepareError),
    /// It was not answered, or not to the end. What was received is in the
    /// conversation where it can be. One that was never answered can be run
    /// again.
    Client(ClientError),
    /// What happened cannot be written down.
    Journal(JournalError),
}

impl fmt::Display for LoopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prepare(error) => error.fmt(f),
            Self::Client(error) => error.fmt(f),
            Self::Journal(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoopError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Prepare(error) => error.source(),
            Self::Client(error) => error.source(),
            Self::Journal(error) => error.source(),
        }
    }
}

impl From<PrepareError> for LoopError {
    fn from(error: PrepareError) -> Self {
        Self::Prepare(error)
    }
}

impl From<ClientError> for LoopError {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

/// What a run cost so far.
#[derive(Debug, Default)]
pub(crate) struct UsageTotals {
    pub(crate) requests: u64,
    pub(crate) usage: Usage,
    pub(crate) resets: Vec<ReportedReset>,
}

impl UsageTotals {
    pub(crate) fn add(&mut self, usage: &Usage) {
        let sum = &mut self.usage;
        for (sum, new) in [
            (&mut sum.input_tokens, usage.input_tokens),
            (
                &mut sum.cache_creation_input_tokens,
                usage.cache_creation_input_tokens,
            ),
            (
                &mut sum.cache_read_input_tokens,
                usage.cache_read_input_tokens,
            ),
            (&mut sum.output_tokens, usage.output_tokens),
        ] {
            *sum = sum.saturating_add(new);
        }
    }

    /// The limit that keeps another request from going out.
    pub(crate) fn reached(&self, limits: &Limits) -> Option<Limit> {
        let Usage {
            input_tokens,
            cache_creation_input_tokens,
            cache_read_input_tokens,
            output_tokens,
            ..
        } = self.usage;
        let tokens = input_tokens
            .saturating_add(cache_creation_input_tokens)
            .saturating_add(cache_read_input_tokens)
            .saturating_add(output_tokens);
        if limits.turns.is_some_and(|most| self.requests >= most) {
            Some(Limit::Turns)
        } else if limits.tokens.is_some_and(|most| tokens >= most) {
            Some(Limit::Tokens)
        } else {
            None
        }
    }
}
