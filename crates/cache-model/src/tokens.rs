//! Counting prefixes in tokens.
//!
//! A provider reports how many tokens the prefix had that it read. From then on
//! this count is exact, and estimates are scaled by the model's ratio between
//! reported and estimated tokens.

use crate::chain::Chain;
use crate::entries::Entries;

/// How many tokens a request's prefixes have: as the provider counted them
/// where it did, and estimated above that.
pub(crate) struct Tokens<'a> {
    chain: &'a Chain,
    /// A counted prefix: its index and its tokens.
    counted: Option<(usize, u64)>,
    /// How many of the provider's tokens there are per estimated token.
    scale: f64,
}

impl<'a> Tokens<'a> {
    /// Finds the longest prefix that the provider counted.
    pub(crate) fn of(entries: &Entries, chain: &'a Chain, hit: Option<usize>, scale: f64) -> Self {
        let counted = hit.and_then(|hit| {
            let back = chain.positions[..=hit].iter().enumerate().rev();
            let mut counted = back.filter_map(|(index, it)| {
                let entry = entries.get(it.hash)?;
                Some((index, entry.counted?))
            });
            counted.next()
        });
        Self { chain, counted, scale }
    }

    /// Returns the tokens up to a position.
    pub(crate) fn at(&self, index: usize) -> u64 {
        self.of_estimate(self.chain.positions[index].tokens)
    }

    /// Returns the positions.
    pub(crate) fn chain(&self) -> &Chain {
        self.chain
    }

    /// Returns the whole request's tokens.
    pub(crate) fn all(&self) -> u64 {
        self.of_estimate(self.chain.tokens)
    }

    /// Turns a prefix's estimate into tokens.
    ///
    /// Below the counted prefix an estimate is at most its count; above it,
    /// only the rest is scaled.
    pub(crate) fn of_estimate(&self, estimate: u64) -> u64 {
        match self.counted {
            Some((index, count)) => {
                let known = self.chain.positions[index].tokens;
                match estimate.checked_sub(known) {
                    Some(more) => count + scaled(more, self.scale),
                    None => scaled(estimate, self.scale).min(count),
                }
            }
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
