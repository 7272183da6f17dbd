//! Usage and prices by how long cache entries live.

use aside_body::lifetime::CacheLifetime;
use aside_models::{ModelFacts, PriceBand};

pub(crate) use aside_models::{Cost, Usage};

/// Usage for tokens that were written to the cache.
pub(crate) fn written(lifetime: CacheLifetime, tokens: u64) -> Usage {
    let mut usage = Usage::default();
    if lifetime == CacheLifetime::TwelveHours {
        usage.write_12h = tokens;
    }
    *match lifetime {
        CacheLifetime::FiveMinutes => &mut usage.write_5m,
        CacheLifetime::OneHour => &mut usage.write_1h,
        _ => &mut usage.write_other,
    } = tokens;
    usage
}

/// The prices for one request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices(&'static PriceBand);

impl Prices {
    /// `None` if the price of a read is unknown: without it no loss has a price.
    pub(crate) fn of(facts: &ModelFacts, is_fast: bool, input: u64) -> Option<Self> {
        let band = facts.price_in(is_fast, input);
        band.filter(|it| it.read.is_some()).map(Self)
    }

    pub(crate) fn plain(self, tokens: u64) -> Cost {
        self.0.cost(&Usage::from_input(0, 0, 0, tokens))
    }

    pub(crate) fn read(self, tokens: u64) -> Cost {
        self.0.cost(&Usage::from_input(tokens, 0, 0, 0))
    }

    pub(crate) fn write(self, lifetime: CacheLifetime, tokens: u64) -> Cost {
        self.0.cost(&written(lifetime, tokens))
    }
}
