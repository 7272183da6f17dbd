//! Estimated token counts as a type, to keep them apart from exact ones.

use std::fmt;
use std::ops::{Add, Sub};

/// An estimated number of tokens.
///
/// For the exact figure, ask the provider (`count_tokens`). `Display` marks the
/// estimate with a tilde: `~1234`.
///
/// ```
/// use aside_models::TokenEstimate;
///
/// assert_eq!(TokenEstimate::of_tokens(1234).to_string(), "~1234");
/// ```
///
/// Sums are exact to a thousandth of a token; only [`TokenEstimate::tokens`]
/// rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenEstimate {
    thousandths: u64,
}

impl TokenEstimate {
    /// No token.
    pub const ZERO: Self = Self { thousandths: 0 };

    /// Creates an estimate from a number of tokens.
    #[must_use]
    pub const fn of_tokens(tokens: u64) -> Self {
        Self { thousandths: tokens.saturating_mul(1000) }
    }

    pub(crate) const fn of_thousandths(thousandths: u64) -> Self {
        Self { thousandths }
    }

    /// Returns how many tokens it is, rounded up.
    #[must_use]
    pub const fn tokens(self) -> u64 {
        self.thousandths.div_ceil(1000)
    }
}

impl Add for TokenEstimate {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { thousandths: self.thousandths.saturating_add(other.thousandths) }
    }
}

/// Nothing is less than no token.
impl Sub for TokenEstimate {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { thousandths: self.thousandths.saturating_sub(other.thousandths) }
    }
}

impl fmt::Display for TokenEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "~{}", self.tokens())
    }
}
