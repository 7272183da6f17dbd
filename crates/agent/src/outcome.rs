use std::time::Duration;

use aside_messages::lower::PrefixReset;
use aside_models::UsageSum;
use aside_session::{AppliedEdits, JournalError, PrepareError};

use crate::client_error::ClientError;

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
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RunReport {
    /// The reason why it ended.
    pub outcome: Outcome,
    /// The requests that were sent, those of tools included, with the tokens that
    /// the provider counted for them; those of an incomplete response may be
    /// missing. The price is by the catalogue of models.
    pub spent: UsageSum,
    /// The part of these requests that tools sent by themselves, such as those of
    /// workers ([`ToolOutput::delegated`](crate::ToolOutput::delegated)); `None`
    /// if there are none.
    pub delegated: Option<UsageSum>,
    /// The content that the API left out of what the model read.
    pub edits: AppliedEdits,
    /// The requests whose bytes did not continue the preceding request.
    pub resets: Vec<ReportedReset>,
}

impl RunReport {
    /// Adds the usage of the requests that a tool sent.
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// There was nothing to respond to.
    #[default]
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
        Usage {
            uncached,
            output,
            ..Usage::default()
        }
    }

    fn delegated(requests: u64, input: u64, dollars: Option<f64>) -> UsageSum {
        UsageSum {
            requests,
            usage: tokens(input, 1),
            dollars,
        }
    }

    #[test]
    fn requests_of_tools_are_part_of_the_sum() {
        let mut report = RunReport {
            spent: UsageSum::from_request(tokens(10, 2), Some(0.5)),
            ..RunReport::default()
        };
        report.add_delegated(&delegated(3, 100, Some(1.0)));
        report.add_delegated(&delegated(2, 1_000, Some(0.25)));
        let UsageSum {
            requests,
            usage,
            dollars,
        } = report.spent;
        assert_eq!(
            (requests, usage, dollars),
            (6, tokens(1_110, 4), Some(1.75))
        );
        let sum = report.delegated.unwrap();
        assert_eq!((sum.requests, sum.dollars), (5, Some(1.25)));
        assert_eq!(sum.usage, tokens(1_100, 2));

        // The limit of requests counts those of the loop, that of tokens all.
        let check = |turns, tokens, expected| {
            let limits = RunLimits {
                turns,
                tokens,
                ..RunLimits::default()
            };
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
