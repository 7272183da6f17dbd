//! Money, and what usage costs.

use std::fmt;
use std::ops::Add;

use serde::{Serialize, Serializer};

use crate::facts::ModelFacts;
use crate::price::{Price, PriceBand};
use crate::usage::Usage;

/// An amount of money, exact to a billionth of a dollar. Prices are the catalogue's, without
/// batches, tiers and taxes. Sums saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost {
    nanodollars: u64,
}

impl Cost {
    /// No money.
    pub const ZERO: Self = Self { nanodollars: 0 };

    /// Creates an amount from billionths of a dollar.
    #[must_use]
    pub const fn from_nanodollars(nanodollars: u64) -> Self {
        Self { nanodollars }
    }

    /// Returns the amount in billionths of a dollar.
    #[must_use]
    pub const fn nanodollars(self) -> u64 {
        self.nanodollars
    }

    /// Returns the amount in dollars.
    #[must_use]
    pub fn dollars(self) -> f64 {
        self.nanodollars as f64 / 1e9
    }

    /// Subtracts; returns zero if `other` is more.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self { nanodollars: self.nanodollars.saturating_sub(other.nanodollars) }
    }
}

impl Usage {
    /// Prices the usage of one sampling; `None` if the catalogue has no price for the model, or for
    /// the tokens that it read from the cache.
    ///
    /// What a token costs may depend on how long the prompt is, so add up the costs of several
    /// requests, not their usage.
    #[must_use]
    pub fn cost(&self, facts: &ModelFacts) -> Option<Cost> {
        self.cost_within(facts, self.input())
    }

    /// Prices a part of a prompt. `prompt_tokens` counts the whole prompt, which may decide what a
    /// token costs.
    #[must_use]
    pub fn cost_within(&self, facts: &ModelFacts, prompt_tokens: u64) -> Option<Cost> {
        let band = facts.price_in(self.is_fast, prompt_tokens)?;
        // A model that caches charges less for a read than for input, and one that charges for
        // writes charges more for an hour: how much is not known.
        let knows_read = self.read == 0 || band.read.is_some();
        let knows_hour = self.write_1h == 0 || band.write_1h.is_some() || band.write_5m.is_none();
        (knows_read && knows_hour).then(|| band.cost(self))
    }
}

impl PriceBand {
    /// Prices usage in this band. A read or a write without its own price costs as much as uncached
    /// input, which is too much for a read.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Cost {
        let times = |price: Option<Price>, tokens: u64| {
            // A millionth of a dollar for a million tokens is a thousandth of a billionth for one.
            let micros = u128::from(price.unwrap_or(self.input).micros());
            let nanodollars = micros * u128::from(tokens) / 1_000;
            Cost::from_nanodollars(u64::try_from(nanodollars).unwrap_or(u64::MAX))
        };
        times(self.read, usage.read)
            + times(self.write_5m, usage.write_5m)
            + times(self.write_1h, usage.write_1h)
            + times(self.write_5m, usage.write_30m())
            + times(self.write_12h.or(self.write_5m), usage.write_12h)
            + times(None, usage.uncached)
            + times(Some(self.output), usage.output)
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { nanodollars: self.nanodollars.saturating_add(other.nanodollars) }
    }
}

/// In dollars, with as many decimals as small amounts need: `$12.34`, `$0.0123`.
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nanodollars {
            0 => f.write_str("$0"),
            1_000_000_000.. => write!(f, "${:.2}", self.dollars()),
            10_000_000.. => write!(f, "${:.3}", self.dollars()),
            _ => write!(f, "${:.5}", self.dollars()),
        }
    }
}

impl Serialize for Cost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    #[test]
    fn the_cost_is_that_of_the_price_list() {
        let facts = find("claude-opus-5-5").facts;
        let usage = Usage::from_input(1_000_000, 100_000, 10_000, 1_000);
        // 0.20 + 0.50 + 0.08 + 0.004
        assert_eq!(usage.cost(facts), Some(Cost::from_nanodollars(784_000_000)));
        assert_eq!(usage.input(), 1_111_000);
        let output = Usage { output: 1_000, ..usage };
        let priced = output.cost(facts).unwrap().saturating_sub(usage.cost(facts).unwrap());
        assert_eq!(priced.dollars(), facts.prices[0].output.dollars() / 1e3);
        // The prompt's length chooses the band.
        let haiku = find("claude-haiku-5-5").facts;
        let cost = |tokens| Usage::from_input(0, 0, 0, tokens).cost(haiku);
        assert_eq!(cost(100_000), Some(Cost::from_nanodollars(10_000_000)));
        assert_eq!(cost(200_000), Some(Cost::from_nanodollars(100_000_000)));
    }

    #[test]
    fn small_amounts_have_more_decimals() {
        let shown = |nanodollars| Cost::from_nanodollars(nanodollars).to_string();
        assert_eq!(shown(0), "$0");
        assert_eq!(shown(12_345_678_901), "$12.35");
        assert_eq!(shown(123_456_789), "$0.123");
        assert_eq!(shown(1_234_567), "$0.00123");
    }

    #[test]
    fn a_read_without_a_known_price_has_no_cost() {
        let facts = find("gpt-6.2-sol").facts;
        assert!(Usage::from_input(0, 0, 0, 9).cost(facts).is_some());
        assert_eq!(Usage::from_input(9, 0, 0, 9).cost(facts), None);
    }

    /// As for a row of the user's with `write` and without `write_1h`.
    #[test]
    fn an_hour_without_a_known_price_has_no_cost() {
        let mut facts = *find("claude-opus-5-5").facts;
        let bands = facts.prices.iter().map(|band| PriceBand { write_1h: None, ..*band });
        facts.prices = Vec::leak(bands.collect());
        assert!(Usage::from_input(0, 9, 0, 9).cost(&facts).is_some());
        assert_eq!(Usage::from_input(0, 0, 9, 9).cost(&facts), None);
    }
}
