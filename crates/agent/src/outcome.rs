use std::fmt;
use std::time::Duration;

use aside_messages::lower::PrefixReset;
use aside_models::Usage;

use crate::applied_edits::AppliedEdits;
use crate::client_error::ClientError;
use crate::delegated_usage::DelegatedUsage;
use crate::journal::JournalError;
use aside_session::PrepareError;

/// The limits of one run of a [`Loop`](crate::Loop), by default none.
///
/// ```
/// use std::time::Duration;
///
/// use aside_agent::RunLimits;
///
/// let limits = RunLimits {
///     turns: Some(40),
///     time: Some(Duration::from_secs(600)),
///     ..RunLimits::default()
/// };
/// assert_eq!(limits.tokens, None, "no limit");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunLimits {
    /// The maximum number of requests, those of tools not included.
    pub turns: Option<u64>,
    /// The maximum number of tokens, of requests (cached or not) and responses
    /// together, those of tools included. No request is sent after the limit is reached; the last
    /// response may exceed it.
    pub tokens: Option<u64>,
    /// The maximum duration, after which the run is cancelled. It needs the
    /// timer of a tokio runtime.
    pub time: Option<Duration>,
}

/// A limit of [`RunLimits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// [`RunLimits::turns`]
    Turns,
    /// [`RunLimits::tokens`]
    Tokens,
    /// [`RunLimits::time`]
    Time,
}

/// The result of a run of a [`Loop`](crate::Loop).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunReport {
    /// The reason why it ended.
    pub outcome: Outcome,
    /// The number of requests that were sent, those of tools included.
    pub requests: u64,
    /// The tokens that the provider counted for all of them; those of an
    /// incomplete response may be missing.
    pub usage: Usage,
    /// The price of these tokens in US dollars, by the catalogue of models:
    /// `None` if the price of the model is unknown.
    pub dollars: Option<f64>,
    /// The part of these requests that tools sent by themselves, such as those of
    /// workers ([`ToolOutput::delegated`](crate::ToolOutput::delegated)); `None`
    /// if there are none.
    pub delegated: Option<DelegatedUsage>,
    /// The content that the API left out of what the model read.
    pub edits: AppliedEdits,
    /// The requests whose bytes did not continue the preceding request.
    pub resets: Vec<ReportedReset>,
}

impl From<&RunReport> for DelegatedUsage {
    /// Returns the usage of a run, for the tool that started it.
    fn from(report: &RunReport) -> Self {
        Self {
            requests: report.requests,
            usage: report.usage,
            dollars: report.dollars,
        }
    }
}

/// A reset of the prefix in a [`RunReport`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReportedReset {
    /// The reason of the reset.
    pub reason: PrefixReset,
    /// The number of thinking blocks that are left out from then on.
    pub lost_thinking: u64,
}

/// The reason why a run of a [`Loop`](crate::Loop) ended. After each of them
/// the conversation can be continued.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// There was nothing to respond to.
    Idle,
    /// The model ended its turn.
    Done,
    /// The response reached its limit of tokens and is incomplete. Calls in it
    /// were not run.
    MaxTokens,
    /// The model, or a filter, refused. The same conversation will be refused
    /// again.
    Refused,
    /// The conversation is longer than the model's context and has to be
    /// compacted. The value is the provider's message, if it sent one.
    ContextFull(Option<String>),
    /// The API refused earlier thinking, and refused the request without it as
    /// well. The value is the provider's message.
    ThinkingRefused(String),
    /// A limit was reached. Another run continues; after [`Limit::Time`], the
    /// turn is aborted.
    Limit(Limit),
    /// The run was cancelled, and the turn is aborted.
    Cancelled,
    /// The provider's stop reason is unknown; the value is its name.
    Stopped(String),
}

/// The reason why a [`Loop`](crate::Loop) cannot continue by itself.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoopError {
    /// The request could not be prepared.
    Prepare(PrepareError),
    /// There is no response, or an incomplete one. The received part is in the
    /// conversation if possible. A request without a response can be sent
    /// again.
    Client(ClientError),
    /// The journal could not be written.
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
