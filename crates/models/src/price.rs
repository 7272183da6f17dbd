//! Prices, exact as the vendors publish them.

use std::fmt;

use serde::{Serialize, Serializer};

/// US dollars per million tokens, exact to a millionth of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Price {
    micros: u32,
}

impl Price {
    /// Creates a price from thousandths of a dollar per million tokens.
    #[must_use]
    pub const fn from_mills(mills: u32) -> Self {
        Self { micros: mills * 1_000 }
    }

    /// Creates a price from dollars per million tokens; `None` if it is
    /// negative or $4,294 or more.
    #[must_use]
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let micros = (dollars * 1e6).round();
        let is_price = (0.0..f64::from(u32::MAX)).contains(&micros);
        is_price.then_some(Self { micros: micros as u32 })
    }

    /// Returns millionths of a dollar per million tokens.
    #[must_use]
    pub const fn micros(self) -> u32 {
        self.micros
    }

    /// Returns dollars per million tokens.
    #[must_use]
    pub fn dollars(self) -> f64 {
        f64::from(self.micros) / 1e6
    }
}

/// The prices that apply up to a prompt length.
///
/// ```
/// use aside_models::find;
///
/// let bands = find("claude-haiku-4-5").facts.prices;
/// assert_eq!(bands[0].input.dollars(), 1.0);
/// assert_eq!(bands[0].output.dollars(), 5.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PriceBand {
    /// How long a prompt in this band may be, in tokens; `None` for the last
    /// band.
    pub max_prompt: Option<u64>,
    /// What uncached input costs.
    pub input: Price,
    /// What output costs, thinking included.
    pub output: Price,
    /// What a cache write costs that lives for 5 minutes, or for the vendor's
    /// usual time.
    pub write_5m: Option<Price>,
    /// What a cache write costs that lives for 1 hour.
    pub write_1h: Option<Price>,
    /// What a cache write costs that lives for 12 hours (OpenAI).
    pub write_12h: Option<Price>,
    /// What a cache read costs.
    pub read: Option<Price>,
}

impl PriceBand {
    /// Anthropic's price list: a 5-minute write costs 1.25 times the input and
    /// a 1-hour write twice the input.
    pub(crate) const fn anthropic(input: u32, output: u32, read: u32) -> Self {
        Self {
            write_5m: Some(Price::from_mills(input + input / 4)),
            write_1h: Some(Price::from_mills(input * 2)),
            read: Some(Price::from_mills(read)),
            ..Self::plain(input, output)
        }
    }

    /// Without known cache prices.
    pub(crate) const fn plain(input: u32, output: u32) -> Self {
        Self {
            max_prompt: None,
            input: Price::from_mills(input),
            output: Price::from_mills(output),
            write_5m: None,
            write_1h: None,
            write_12h: None,
            read: None,
        }
    }

    /// Limits the band to prompts with at most this many tokens.
    pub(crate) const fn up_to(self, max_prompt: u64) -> Self {
        Self { max_prompt: Some(max_prompt), ..self }
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.dollars())
    }
}

impl Serialize for Price {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}
