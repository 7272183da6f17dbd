//! How large the context is, for a run to decide whether to compact.
//!
//! To estimate costs time that grows with the request, and a session sends one
//! request for each turn. So a request is estimated only if it could exceed the
//! limit: if it would with the most tokens that the bytes since the last known
//! size can have. Each estimate brings the known size up to date, so that the
//! next one is needed once the rest of the window is about half as large: a
//! conversation that fills its window costs a few estimates, not one per turn.

/// How many bytes a token has at least, rare texts aside.
const MIN_BYTES_PER_TOKEN: u64 = 2;

/// The context's size, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextSize {
    last: Option<Known>,
    /// The latest estimate: the body's length, and its tokens.
    estimated: Option<(u64, u64)>,
    /// How many tokens the API counted for an estimated request, and the
    /// estimate, to correct later ones.
    scale: Option<(u64, u64)>,
}

/// A request whose size is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Known {
    /// Its body's length.
    bytes: u64,
    /// Its tokens: as the API counted them, with the response's, or as they
    /// were estimated.
    tokens: u64,
}

impl ContextSize {
    /// Returns true if a request has more tokens than `limit`. `bytes` is its
    /// body's length, and `estimate` estimates its tokens.
    ///
    /// The last estimate that the API also counted corrects later ones. A
    /// request that continues a known one has at least its tokens.
    pub fn exceeds(&mut self, limit: u64, bytes: u64, estimate: impl FnOnce() -> u64) -> bool {
        // A shorter request does not continue the last one.
        let last = self.last.filter(|last| last.bytes <= bytes);
        let last = last.unwrap_or_default();
        let most = last.tokens.saturating_add((bytes - last.bytes) / MIN_BYTES_PER_TOKEN);
        if most <= limit {
            return false;
        }
        let estimate = estimate();
        self.estimated = Some((bytes, estimate));
        let corrected = match self.scale {
            Some((counted, of)) => {
                let tokens = u128::from(estimate) * u128::from(counted) / u128::from(of);
                u64::try_from(tokens).unwrap_or(u64::MAX)
            }
            None => estimate,
        };
        let tokens = corrected.max(last.tokens).min(most);
        self.last = Some(Known { bytes, tokens });
        tokens > limit
    }

    /// Sets the size of a request that was sent, as the API counted it: the
    /// context's tokens with the response's, and the response's alone. Without
    /// a count, the size stays as it was.
    pub fn set_counted(&mut self, bytes: u64, tokens: u64, of_response: u64) {
        if tokens == 0 {
            return;
        }
        self.last = Some(Known { bytes, tokens });
        let counted = tokens.saturating_sub(of_response);
        if let Some((_, estimate)) = self.estimated.filter(|it| it.0 == bytes)
            && estimate > 0
            && counted > 0
        {
            self.scale = Some((counted, estimate));
        }
    }

    /// Forgets the size: the next request does not continue the last one.
    pub fn reset(&mut self) {
        self.last = None;
        self.estimated = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A session whose turns have 1,000 bytes and 250 tokens. Returns how many
    /// tokens exceed the limit, and how many estimates it took.
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
            size.set_counted(bytes, counts(tokens), 0);
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
        size.set_counted(1_000_000, 240_000, 0);
        assert!(!size.exceeds(100_000, 150_000, || unreachable!("it is short")));
        assert!(size.exceeds(100_000, 900_000, || 200_000));
        size.reset();
        assert!(!size.exceeds(100_000, 900_000, || 90_000));
    }

    /// Images have many bytes and few tokens.
    #[test]
    fn media_are_not_measured_by_their_bytes() {
        let mut size = ContextSize::default();
        size.set_counted(400_000, 100_000, 0);
        assert!(!size.exceeds(160_000, 5_400_000, || 101_500));
        size.set_counted(5_400_000, 101_500, 500);
        assert!(size.exceeds(160_000, 5_700_000, || 176_500));
    }

    #[test]
    fn a_response_counts_once() {
        let mut size = ContextSize::default();
        assert!(!size.exceeds(160_000, 400_000, || 120_000));
        size.set_counted(400_000, 140_000, 20_000);
        assert!(!size.exceeds(160_000, 480_000, || 141_000));
        size.set_counted(480_000, u64::MAX, 0);
        assert!(size.exceeds(160_000, 480_001, || 141_100));
    }
}
