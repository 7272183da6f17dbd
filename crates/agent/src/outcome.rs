use std::time::Duration;

use aside_messages::lower::PrefixReset;
use aside_models::UsageSum;
use aside_providers::StopReason;
use aside_session::{AppliedEdits, JournalError, PrepareError};

use crate::client_error::ClientError;

/// What one run of a [`Loop`](crate::Loop) may use, by default without limit.
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
    /// How many requests to send, except those that tools send.
    pub turns: Option<u64>,
    /// How many tokens to use, over requests (cached or not) and responses,
    /// including those of tools. Once this is reached, no request is sent; the
    /// last response may exceed it.
    pub tokens: Option<u64>,
    /// How long the run may take before it is cancelled. It needs a tokio
    /// runtime's timer.
    pub time: Option<Duration>,
}

/// A limit in [`RunLimits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// [`RunLimits::turns`]
    Turns,
    /// [`RunLimits::tokens`]
    Tokens,
    /// [`RunLimits::time`]
    Time,
}

/// What a run of a [`Loop`](crate::Loop) did.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RunReport {
    /// Why it ended.
    pub outcome: Outcome,
    /// What was sent, including requests by tools, with the tokens that the
    /// provider counted; those of an incomplete response may be missing. The
    /// price is the model catalogue's.
    pub spent: UsageSum,
    /// What tools sent by themselves, such as workers
    /// ([`ToolOutput::delegated`](crate::ToolOutput::delegated)); `None` if
    /// there is none.
    pub delegated: Option<UsageSum>,
    /// What the API left out of what the model read.
    pub edits: AppliedEdits,
    /// Requests whose bytes did not continue the preceding request.
    pub resets: Vec<ReportedReset>,
}

impl RunReport {
    /// Adds what a tool's requests used.
    pub(crate) fn add_delegated(&mut self, usage: &UsageSum) {
        self.spent.add(usage);
        self.delegated.get_or_insert_default().add(usage);
    }

    /// Returns the limit that prevents another request.
    pub(crate) fn reached(&self, limits: &RunLimits) -> Option<Limit> {
        let delegated = self.delegated.unwrap_or_default().requests;
        let own = self.spent.requests.saturating_sub(delegated);
        if limits.turns.is_some_and(|limit| own >= limit) {
            return Some(Limit::Turns);
        }
        let is_over = |limit| self.spent.usage.total() >= limit;
        limits.tokens.is_some_and(is_over).then_some(Limit::Tokens)
    }
}

/// A prefix reset in a [`RunReport`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReportedReset {
    /// Why the prefix was reset.
    pub reason: PrefixReset,
    /// How many thinking blocks are left out from then on.
    pub lost_thinking: u64,
}

/// Why a run of a [`Loop`](crate::Loop) ended. After each of them you can
/// continue the conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// There was nothing to respond to.
    #[default]
    Idle,
    /// The model ended its turn.
    Done,
    /// The response reached its token limit and is incomplete. Its calls were
    /// not run.
    MaxTokens,
    /// The model, or a filter, refused. The same conversation will be refused
    /// again.
    Refused,
    /// The conversation is longer than the model's context and has to be
    /// compacted. The value is the provider's message, if it sent one.
    ContextFull(Option<String>),
    /// The conversation has to be, or should have been, compacted, and there is
    /// no summary: it is unchanged. The value is the reason.
    NotCompacted(String),
    /// The API refused earlier thinking, and refused the request without it as
    /// well. The value is the provider's message.
    ThinkingRefused(String),
    /// A limit was reached. To continue, run again; after [`Limit::Time`], the
    /// turn is aborted.
    Limit(Limit),
    /// The run was cancelled, and the turn is aborted.
    Cancelled,
    /// The provider's stop reason is unknown; this is its name.
    Stopped(String),
}

impl Outcome {
    /// Returns the outcome of a response that stopped for this reason, `Done` if
    /// it is complete.
    pub(crate) fn from_stop_reason(reason: Option<&StopReason>) -> Self {
        match reason {
            Some(StopReason::MaxTokens) => Self::MaxTokens,
            Some(StopReason::Refusal) => Self::Refused,
            Some(StopReason::Other(reason)) if reason == "model_context_window_exceeded" => {
                Self::ContextFull(None)
            }
            Some(StopReason::Other(reason)) => Self::Stopped(reason.clone()),
            _ => Self::Done,
        }
    }
}

/// Why a [`Loop`](crate::Loop) cannot continue by itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoopError {
    /// The request could not be prepared.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// There is no response, or an incomplete one. The received part is in the
    /// conversation if possible. A request without a response can be sent
    /// again.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The journal could not be written.
    #[error(transparent)]
    Journal(JournalError),
}

#[cfg(test)]
mod tests {
    use aside_models::Usage;

    use super::*;

    fn tokens(uncached: u64, output: u64) -> Usage {
        Usage { uncached, output, ..Usage::default() }
    }

    fn delegated(requests: u64, input: u64, dollars: Option<f64>) -> UsageSum {
        UsageSum { requests, usage: tokens(input, 1), dollars }
    }

    #[test]
    fn requests_of_tools_are_part_of_the_sum() {
        let mut report = RunReport {
            spent: UsageSum::from_request(tokens(10, 2), Some(0.5)),
            ..RunReport::default()
        };
        report.add_delegated(&delegated(3, 100, Some(1.0)));
        report.add_delegated(&delegated(2, 1_000, Some(0.25)));
        let UsageSum { requests, usage, dollars } = report.spent;
        assert_eq!((requests, usage, dollars), (6, tokens(1_110, 4), Some(1.75)));
        let sum = report.delegated.unwrap();
        assert_eq!((sum.requests, sum.dollars), (5, Some(1.25)));
        assert_eq!(sum.usage, tokens(1_100, 2));

        // The request limit counts the loop's own, the token limit all.
        let check = |turns, tokens, expected| {
            let limits = RunLimits { turns, tokens, ..RunLimits::default() };
            assert_eq!(report.reached(&limits), expected);
        };
        check(Some(2), None, None);
        check(Some(1), None, Some(Limit::Turns));
        check(None, Some(1_115), None);
        check(None, Some(1_114), Some(Limit::Tokens));

        // An unknown price makes the sum unknown.
        report.add_delegated(&delegated(1, 1, None));
        assert_eq!(report.spent.dollars, None);
        assert_eq!(report.delegated.unwrap().dollars, None);
    }
}
