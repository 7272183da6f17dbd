//! The size of the context, by which a run decides whether to compact.
//!
//! An estimate costs time in proportion to the request, and a session sends one
//! request for each turn. So a request is estimated only if it could exceed the
//! limit: if it would with the most tokens that the bytes since the last known
//! size can have. Each estimate brings the known size up to date, so that the
//! next one is needed once the rest of the window is about half as large: a
//! conversation that fills its window costs a few estimates, not one per turn.

/// The minimum number of bytes of a token, rare texts aside.
const MIN_BYTES_PER_TOKEN: u64 = 2;

/// The size of the context, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ContextSize {
    last: Option<Known>,
}

/// A request whose size is known.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The length of its body.
    bytes: u64,
    /// Its tokens: as the API counted them, with those of the response, or as
    /// they were estimated.
    tokens: u64,
    /// The estimate of the request alone, if there is one.
    estimate: Option<u64>,
}

impl ContextSize {
    /// Returns true if a request has more tokens than `limit`. `bytes` is the
    /// length of its body, and `estimate` estimates its tokens.
    ///
    /// A request that continues one that the API counted has the tokens of that
    /// one, and those by which the estimate has grown since.
    pub(super) fn exceeds(
        &mut self,
        limit: u64,
        bytes: u64,
        estimate: impl FnOnce() -> u64,
    ) -> bool {
        // A shorter request does not continue the last one.
        let last = self.last.filter(|last| last.bytes <= bytes);
        let known = last.map_or((0, 0), |it| (it.tokens, it.bytes));
        if known.0 + (bytes - known.1) / MIN_BYTES_PER_TOKEN <= limit {
            return false;
        }
        let estimate = estimate();
        let tokens = last.map_or(estimate, |last| {
            let before = last.estimate.unwrap_or_else(|| {
                // Its share of this request.
                (u128::from(estimate) * u128::from(last.bytes) / u128::from(bytes.max(1))) as u64
            });
            last.tokens + estimate.saturating_sub(before)
        });
        self.last = Some(Known {
            bytes,
            tokens,
            estimate: Some(estimate),
        });
        tokens > limit
    }

    /// Sets the size of a request that was sent, as the API counted it with its
    /// response. Without a count, the size stays what it was.
    pub(super) fn set_counted(&mut self, bytes: u64, tokens: u64) {
        if tokens > 0 {
            let last = self.last.filter(|last| last.bytes == bytes);
            self.last = Some(Known {
                bytes,
                tokens,
                estimate: last.and_then(|it| it.estimate),
            });
        }
    }

    /// Forgets the size: the next request does not continue the last one.
    pub(super) fn reset(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A session of turns of 1,000 bytes and 250 tokens. Returns the tokens at
    /// which the limit is exceeded, and the number of estimates.
    fn grown(limit: u64, counts: impl Fn(u64) -> u64) -> (u64, u32) {
        let mut size = ContextSize::default();
        let mut estimates = 0;
        for turn in 1.. {
            let (bytes, tokens) = (turn * 1_000, turn * 250);
            let exceeds = size.exceeds(limit, bytes, || {
                estimates += 1;
                tokens
            });
            if exceeds {
                return (tokens, estimates);
            }
            size.set_counted(bytes, counts(tokens));
        }
        unreachable!("every session exceeds a limit")
    }

    #[test]
    fn a_session_needs_few_estimates() {
        let (tokens, estimates) = grown(850_000, |_| 0);
        assert_eq!(tokens, 850_250);
        assert!(estimates < 20, "{estimates}");
        let (tokens, estimates) = grown(850_000, |tokens| tokens);
        assert_eq!(tokens, 850_250);
        assert!(estimates < 5, "{estimates}");
    }

    #[test]
    fn the_count_of_the_api_corrects_the_estimate() {
        // The API counts a tenth more.
        let (tokens, _) = grown(850_000, |tokens| tokens + tokens / 10);
        assert!((772_000..774_000).contains(&tokens), "{tokens}");
    }

    #[test]
    fn a_shorter_request_is_estimated_again() {
        let mut size = ContextSize::default();
        size.set_counted(1_000_000, 240_000);
        assert!(!size.exceeds(100_000, 150_000, || unreachable!("it is short")));
        assert!(size.exceeds(100_000, 900_000, || 200_000));
        size.reset();
        assert!(!size.exceeds(100_000, 900_000, || 90_000));
    }
}
