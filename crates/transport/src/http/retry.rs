//! When to send a request again: a function of the failure, without a clock or
//! a connection.
//!
//! Only a failure before the response begins is retried; later, output would be
//! billed twice. `x-should-retry` decides if the provider sends it, else the
//! status: 408, 409, 429 and 5xx go away by themselves.

use std::time::Duration;

use aside_providers::{Bare429, ProviderSpec};

/// Decides whether and when to send a failed request again.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryPolicy {
    /// How many retries to make.
    pub retries: u32,
    /// How long to wait first if the provider does not say; each further wait
    /// doubles.
    pub first_wait: Duration,
    /// How long to wait at most if the provider does not say.
    pub longest_wait: Duration,
    /// How long a wait the provider may ask for; if it asks for more, the
    /// request fails instead.
    pub patience: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 2,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(8),
            patience: Duration::from_secs(60),
        }
    }
}

/// A failure before the response's first byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There was no response: no connection, or no bytes in time.
    NoAnswer,
    /// The provider responded with an error status.
    Status {
        /// 4xx or 5xx.
        status: u16,
        /// `retry-after`, or `retry-after-ms`.
        retry_after: Option<Duration>,
        /// `x-should-retry`
        should_retry: Option<bool>,
    },
}

impl RetryPolicy {
    /// Returns how long to wait before sending the request again, or `None` to
    /// give up. `sent_again` counts the retries so far; `chance` is a random
    /// number from 0 to 1, to keep clients from retrying in lockstep.
    ///
    /// ```
    /// use std::time::Duration;
    /// use aside_providers::Provider;
    /// use aside_transport::{Failure, RetryPolicy};
    ///
    /// let policy = RetryPolicy::default();
    /// let wait = policy.wait(aside_providers::Provider::OpenAi, 1, &Failure::NoAnswer, 0.0);
    /// assert_eq!(wait, Some(Duration::from_secs(1)));
    /// ```
    #[must_use]
    pub fn wait(
        &self,
        provider: impl Into<&'static ProviderSpec>,
        sent_again: u32,
        failure: &Failure,
        chance: f64,
    ) -> Option<Duration> {
        if sent_again >= self.retries || !is_worth_it(provider.into(), failure) {
            return None;
        }
        if let Failure::Status { retry_after: Some(wait), .. } = failure {
            return (*wait <= self.patience).then_some(*wait);
        }
        let doubled = self.first_wait.saturating_mul(2_u32.saturating_pow(sent_again));
        let longest = doubled.min(self.longest_wait);
        let chance = if chance.is_finite() { chance.clamp(0.0, 1.0) } else { 0.0 };
        Some(longest.saturating_sub((longest / 4).mul_f64(chance)))
    }
}

/// Returns true if another attempt can succeed.
fn is_worth_it(provider: &ProviderSpec, failure: &Failure) -> bool {
    let Failure::Status { status, retry_after, should_retry } = failure else {
        return true;
    };
    if let Some(should_retry) = should_retry {
        return *should_retry;
    }
    match status {
        // Without a time this is the spending limit, and no wait helps.
        429 if provider.bare_429 == Bare429::SpendLimit => retry_after.is_some(),
        408 | 409 | 429 => true,
        _ => *status >= 500,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn status(status: u16) -> Failure {
        Failure::Status { status, retry_after: None, should_retry: None }
    }

    fn after(code: u16, wait: Duration) -> Failure {
        Failure::Status { status: code, retry_after: Some(wait), should_retry: None }
    }

    fn reported(code: u16, should_retry: bool) -> Failure {
        Failure::Status { status: code, retry_after: None, should_retry: Some(should_retry) }
    }

    #[test]
    fn the_table() {
        use aside_providers::Provider::{Bedrock, FirstParty, Foundry, Gemini, OpenAi};
        let half = Some(SECOND / 2);
        for (provider, sent_again, failure, expected) in [
            (FirstParty, 0, Failure::NoAnswer, half),
            (FirstParty, 1, Failure::NoAnswer, Some(SECOND)),
            (FirstParty, 2, Failure::NoAnswer, None),
            (FirstParty, 0, status(408), half),
            (FirstParty, 0, status(409), half),
            (FirstParty, 0, status(500), half),
            (FirstParty, 0, status(503), half),
            (FirstParty, 0, status(529), half),
            (FirstParty, 0, status(429), None),
            (Foundry, 0, status(429), None),
            (FirstParty, 0, after(429, 3 * SECOND), Some(3 * SECOND)),
            (FirstParty, 0, after(429, Duration::ZERO), Some(Duration::ZERO)),
            (FirstParty, 1, after(529, 3 * SECOND), Some(3 * SECOND)),
            (FirstParty, 0, after(429, 61 * SECOND), None),
            (OpenAi, 0, status(429), half),
            (Bedrock, 0, status(429), half),
            (Gemini, 0, status(429), half),
            (OpenAi, 0, status(400), None),
            (OpenAi, 0, status(401), None),
            (OpenAi, 0, status(404), None),
            (OpenAi, 0, after(400, SECOND), None),
            (OpenAi, 0, reported(400, true), half),
            (FirstParty, 0, reported(429, true), half),
            (OpenAi, 0, reported(529, false), None),
            (OpenAi, 2, reported(529, true), None),
        ] {
            let wait = RetryPolicy::default().wait(provider, sent_again, &failure, 0.0);
            assert_eq!(wait, expected, "{provider} {sent_again} {failure:?}");
        }
    }

    #[test]
    fn waits_grow_to_a_limit_and_chance_makes_them_shorter() {
        let policy = RetryPolicy { retries: 100, ..RetryPolicy::default() };
        let wait = |sent_again, chance| {
            policy
                .wait(aside_providers::Provider::OpenAi, sent_again, &Failure::NoAnswer, chance)
                .unwrap()
        };
        assert_eq!(wait(3, 0.0), 4 * SECOND);
        assert_eq!(wait(99, 0.0), 8 * SECOND);
        assert_eq!(wait(99, 1.0), 6 * SECOND);
        assert_eq!(wait(0, 2.0), wait(0, 1.0));
        assert_eq!(wait(0, f64::NAN), wait(0, 0.0));
        let longest = Duration::MAX;
        let policy = RetryPolicy { first_wait: longest, longest_wait: longest, ..policy };
        let wait = |chance| {
            policy.wait(aside_providers::Provider::OpenAi, 1, &Failure::NoAnswer, chance).unwrap()
        };
        assert_eq!(wait(0.0), longest);
        assert!(wait(1.0) < longest);
    }
}
