use aside_models::Usage;

use crate::applied_edits::AppliedEdits;
use crate::delegated_usage::DelegatedUsage;
use crate::outcome::{Limit, ReportedReset, RunLimits};

/// The usage of a run so far.
#[derive(Debug, Default)]
pub(crate) struct UsageTotals {
    /// The requests of the loop itself.
    pub(crate) requests: u64,
    /// The tokens of these requests and of those that tools sent.
    pub(crate) usage: Usage,
    /// The price in US dollars: `None` before the first request, `Some(None)` if
    /// the price of a request is unknown.
    pub(crate) dollars: Option<Option<f64>>,
    /// The part of the usage that tools sent; `None` if none did.
    pub(crate) delegated: Option<DelegatedUsage>,
    /// The content that the API left out of its requests.
    pub(crate) edits: AppliedEdits,
    /// The resets of the prefix, in the order of the requests.
    pub(crate) resets: Vec<ReportedReset>,
}

impl UsageTotals {
    /// Adds the usage of a response, with the compactions that the API ran.
    pub(crate) fn add(&mut self, usage: Usage, dollars: Option<f64>) {
        let before = self.dollars.unwrap_or(Some(0.0));
        let sum = before.zip(dollars).map(|(sum, new)| sum + new);
        self.dollars = Some(sum);
        self.usage += usage;
    }

    /// Adds the usage of the requests that a tool sent.
    pub(crate) fn add_delegated(&mut self, usage: &DelegatedUsage) {
        self.add(usage.usage, usage.dollars);
        match &mut self.delegated {
            Some(sum) => sum.add(usage),
            None => self.delegated = Some(usage.clone()),
        }
    }

    /// Returns the number of all requests, those of tools included.
    pub(crate) fn all_requests(&self) -> u64 {
        let delegated = self.delegated.as_ref().map_or(0, |it| it.requests);
        self.requests.saturating_add(delegated)
    }

    /// Returns the limit that prevents another request.
    pub(crate) fn reached(&self, limits: &RunLimits) -> Option<Limit> {
        if limits.turns.is_some_and(|limit| self.requests >= limit) {
            Some(Limit::Turns)
        } else if limits
            .tokens
            .is_some_and(|limit| self.usage.total() >= limit)
        {
            Some(Limit::Tokens)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(uncached: u64, output: u64) -> Usage {
        Usage {
            uncached,
            output,
            ..Usage::default()
        }
    }

    fn delegated(requests: u64, input: u64, dollars: Option<f64>) -> DelegatedUsage {
        DelegatedUsage {
            requests,
            usage: tokens(input, 1),
            dollars,
        }
    }

    #[test]
    fn requests_of_tools_are_part_of_the_sum() {
        let mut totals = UsageTotals {
            requests: 1,
            ..UsageTotals::default()
        };
        totals.add(tokens(10, 2), Some(0.5));
        totals.add_delegated(&delegated(3, 100, Some(1.0)));
        totals.add_delegated(&delegated(2, 1_000, Some(0.25)));
        assert_eq!(totals.all_requests(), 6);
        assert_eq!(totals.usage, tokens(1_110, 4));
        assert_eq!(totals.dollars, Some(Some(1.75)));
        let sum = totals.delegated.clone().unwrap();
        assert_eq!((sum.requests, sum.dollars), (5, Some(1.25)));
        assert_eq!(sum.usage, tokens(1_100, 2));

        // The limit of requests counts those of the loop, that of tokens all.
        let limits = |turns, tokens| RunLimits {
            turns,
            tokens,
            ..RunLimits::default()
        };
        assert_eq!(totals.reached(&limits(Some(2), None)), None);
        assert_eq!(totals.reached(&limits(None, Some(1_115))), None);
        assert_eq!(
            totals.reached(&limits(None, Some(1_114))),
            Some(Limit::Tokens)
        );

        // An unknown price makes the sum unknown.
        totals.add_delegated(&delegated(1, 1, None));
        assert_eq!(totals.dollars, Some(None));
        assert_eq!(totals.delegated.unwrap().dollars, None);
    }
}
