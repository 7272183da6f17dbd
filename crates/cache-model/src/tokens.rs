//! Counting prefixes in tokens.
//!
//! A provider reports how many tokens the prefix had that it read. From then on
//! this count is exact, and estimates are scaled by the model's ratio between
//! reported and estimated tokens.

use crate::chain::Chain;
use crate::entries::Entries;

/// How many tokens a provider adds to a body for the use of tools, at most.
const HIDDEN: u64 = 1_000;

/// Returns true if a recorded input can be that of the body alone. If there is much more than the
/// estimate, it counts search results, files or messages that the provider keeps.
pub(crate) fn is_of_body(input: u64, estimate: u64) -> bool {
    input > 0 && input <= 2 * estimate + HIDDEN
}

/// How many tokens a request's prefixes have: as the provider counted them
/// where it did, and estimated above that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens {
    /// The whole request's estimate.
    estimate: u64,
    /// A counted prefix: its estimate and its tokens.
    counted: Option<(u64, u64)>,
    /// How many of the provider's tokens there are per estimated token.
    scale: f64,
}

impl Tokens {
    /// Finds the longest prefix that the provider counted.
    pub(crate) fn of(entries: &Entries, chain: &Chain, hit: Option<usize>, scale: f64) -> Self {
        let counted = hit.and_then(|hit| {
            let mut back = chain.positions[..=hit].iter().rev();
            back.find_map(|it| Some((it.tokens, entries.get(it.hash)?.counted?)))
        });
        Self { estimate: chain.tokens, counted, scale }
    }

    /// Returns the same for a request whose tokens the provider counted, if these are its body's.
    pub(crate) fn counted(self, input: Option<u64>) -> Self {
        let Some(input) = input.filter(|it| is_of_body(*it, self.estimate)) else {
            return self;
        };
        let fits = |it: &(u64, u64)| it.0 < self.estimate && it.1 <= input;
        let counted = self.counted.filter(fits);
        let (known, count) = counted.unwrap_or_default();
        let scale = (input - count) as f64 / (self.estimate - known).max(1) as f64;
        Self { counted, scale, ..self }
    }

    /// Returns the whole request's tokens.
    pub(crate) fn all(&self) -> u64 {
        self.of_estimate(self.estimate)
    }

    /// Turns a prefix's estimate into tokens.
    ///
    /// Below the counted prefix an estimate is at most its count; above it,
    /// only the rest is scaled.
    pub(crate) fn of_estimate(&self, estimate: u64) -> u64 {
        match self.counted {
            Some((known, count)) => match estimate.checked_sub(known) {
                Some(more) => count + scaled(more, self.scale),
                None => scaled(estimate, self.scale).min(count),
            },
            None => scaled(estimate, self.scale),
        }
    }
}

pub(crate) fn scaled(tokens: u64, scale: f64) -> u64 {
    if scale == 1.0 {
        return tokens;
    }
    (tokens as f64 * scale).round() as u64
}
