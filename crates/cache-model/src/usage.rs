//! Tokens and money.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use aside_models::{ModelFacts, Price, PriceBand};
use serde::{Serialize, Serializer};

use aside_body::lifetime::CacheLifetime;

/// The input tokens of a request by billing class. `uncached` is Anthropic's
/// `input_tokens`; the total input is the sum of all. Sums end at the largest
/// number: a record or a provider may hold any.
///
/// ```
/// use aside_cache_model::InputTokens;
///
/// let usage = InputTokens::new(9_000, 1_000, 0, 200);
/// assert_eq!((usage.input(), usage.cached()), (10_200, 10_000));
/// let facts = aside_models::find("claude-haiku-4-5").facts;
/// assert_eq!(usage.cost(facts).map(|it| it.to_string()).as_deref(), Some("$0.00235"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InputTokens {
    /// Read from the cache.
    pub read: u64,
    /// Written for 5 minutes.
    pub write_5m: u64,
    /// Written for 1 hour.
    pub write_1h: u64,
    /// Written for another time, and billed like 5 minutes (OpenAI).
    #[serde(skip_serializing_if = "is_zero")]
    pub write_other: u64,
    /// Neither read nor written.
    pub uncached: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes fields by reference"
)]
fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

impl InputTokens {
    /// Creates the usage of a request from its parts: read, written for 5
    /// minutes, written for 1 hour, neither.
    #[must_use]
    pub const fn new(read: u64, write_5m: u64, write_1h: u64, uncached: u64) -> Self {
        Self {
            read,
            write_5m,
            write_1h,
            write_other: 0,
            uncached,
        }
    }

    /// Returns the tokens that were written.
    #[must_use]
    pub const fn written(&self) -> u64 {
        let known = self.write_5m.saturating_add(self.write_1h);
        known.saturating_add(self.write_other)
    }

    /// Returns the tokens that were read or written.
    #[must_use]
    pub const fn cached(&self) -> u64 {
        self.read.saturating_add(self.written())
    }

    /// Returns the whole input.
    #[must_use]
    pub const fn input(&self) -> u64 {
        self.cached().saturating_add(self.uncached)
    }

    pub(crate) fn add_write(&mut self, lifetime: CacheLifetime, tokens: u64) {
        let written = match lifetime {
            CacheLifetime::FiveMinutes => &mut self.write_5m,
            CacheLifetime::OneHour => &mut self.write_1h,
            CacheLifetime::ThirtyMinutes | CacheLifetime::TwelveHours => &mut self.write_other,
        };
        *written = written.saturating_add(tokens);
    }

    /// Returns the price of the input; `None` if the catalogue has no price of
    /// the model.
    #[must_use]
    pub fn cost(&self, facts: &ModelFacts) -> Option<Cost> {
        self.cost_within(facts, self.input())
    }

    /// Returns the price of a part of a prompt. `prompt_tokens` is the length of
    /// the whole prompt, which may decide the price of a token.
    #[must_use]
    pub fn cost_within(&self, facts: &ModelFacts, prompt_tokens: u64) -> Option<Cost> {
        let prices = Prices::of(facts, prompt_tokens)?;
        Some(
            prices.read(self.read)
                + prices.write(CacheLifetime::FiveMinutes, self.write_5m)
                + prices.write(CacheLifetime::OneHour, self.write_1h)
                + prices.write(CacheLifetime::ThirtyMinutes, self.write_other)
                + prices.plain(self.uncached),
        )
    }
}

impl Add for InputTokens {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            read: self.read.saturating_add(other.read),
            write_5m: self.write_5m.saturating_add(other.write_5m),
            write_1h: self.write_1h.saturating_add(other.write_1h),
            write_other: self.write_other.saturating_add(other.write_other),
            uncached: self.uncached.saturating_add(other.uncached),
        }
    }
}

impl AddAssign for InputTokens {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Money, exact to a billionth of a dollar. Prices are those of the catalogue,
/// without batches, tiers and taxes; output is not included.
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

    /// Returns billionths of a dollar.
    #[must_use]
    pub const fn nanodollars(self) -> u64 {
        self.nanodollars
    }

    /// Returns dollars.
    #[must_use]
    pub fn dollars(self) -> f64 {
        self.nanodollars as f64 / 1e9
    }

    /// Returns the difference; zero if `other` is more.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self {
            nanodollars: self.nanodollars.saturating_sub(other.nanodollars),
        }
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            nanodollars: self.nanodollars.saturating_add(other.nanodollars),
        }
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::ZERO, Add::add)
    }
}

/// As dollars, with as many decimals as small amounts need: `$12.34`,
/// `$0.0123`.
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

/// The prices that apply to one request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices(&'static PriceBand);

impl Prices {
    pub(crate) fn of(facts: &ModelFacts, input: u64) -> Option<Self> {
        facts.price(input).map(Self)
    }

    pub(crate) fn plain(self, tokens: u64) -> Cost {
        times(self.0.input, tokens)
    }

    pub(crate) fn read(self, tokens: u64) -> Cost {
        times(self.0.read.unwrap_or(self.0.input), tokens)
    }

    pub(crate) fn write(self, lifetime: CacheLifetime, tokens: u64) -> Cost {
        let price = match lifetime {
            CacheLifetime::OneHour => self.0.write_1h,
            _ => self.0.write_5m,
        };
        times(price.unwrap_or(self.0.input), tokens)
    }
}

/// A thousandth of a dollar for a million tokens is a billionth for one.
fn times(price: Price, tokens: u64) -> Cost {
    Cost::from_nanodollars(u64::from(price.mills()).saturating_mul(tokens))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_that_of_the_price_list() {
        let facts = aside_models::find("claude-opus-5-5").facts;
        let usage = InputTokens::new(1_000_000, 100_000, 10_000, 1_000);
        // 0.20 + 0.50 + 0.08 + 0.004
        assert_eq!(usage.cost(facts), Some(Cost::from_nanodollars(784_000_000)));
        assert_eq!(usage.input(), 1_111_000);
        // The band is chosen by the length of the prompt.
        let haiku = aside_models::find("claude-haiku-5-5").facts;
        let cost = |tokens| InputTokens::new(0, 0, 0, tokens).cost(haiku);
        assert_eq!(cost(100_000), Some(Cost::from_nanodollars(10_000_000)));
        assert_eq!(cost(200_000), Some(Cost::from_nanodollars(100_000_000)));
    }

    /// A record or a provider may report any number.
    #[test]
    fn sums_end_at_the_largest_number() {
        let facts = aside_models::find("claude-opus-5-5").facts;
        let most = InputTokens::new(u64::MAX, u64::MAX, u64::MAX, u64::MAX);
        let mut sum = most + most;
        sum += InputTokens::new(1, 1, 1, 1);
        sum.add_write(CacheLifetime::OneHour, 1);
        assert_eq!(sum, most);
        assert_eq!(sum.input(), u64::MAX);
        assert_eq!(sum.cost(facts), Some(Cost::from_nanodollars(u64::MAX)));
    }

    #[test]
    fn small_amounts_have_more_decimals() {
        let shown = |nanodollars| Cost::from_nanodollars(nanodollars).to_string();
        assert_eq!(shown(0), "$0");
        assert_eq!(shown(12_345_678_901), "$12.35");
        assert_eq!(shown(123_456_789), "$0.123");
        assert_eq!(shown(1_234_567), "$0.00123");
    }
}
