//! The price of a request.

use aside_models::{ModelFacts, Price};

use crate::strict::ResponseUsage;

/// Returns the price in US dollars, with that of the compactions. `None` if
/// the catalogue has none.
///
/// A price that the catalogue lacks, such as that of a cache write, is taken to
/// be the price of input. The band of prices depends on the total input of the
/// request.
pub(crate) fn of(facts: &ModelFacts, usage: &ResponseUsage) -> Option<f64> {
    let mut samplings = usage.samplings();
    samplings.try_fold(0.0, |sum, usage| Some(sum + of_sampling(facts, &usage)?))
}

fn of_sampling(facts: &ModelFacts, usage: &ResponseUsage) -> Option<f64> {
    let band = facts.price(usage.total_input())?;
    let price = |price: Option<Price>, tokens: u64| {
        price.unwrap_or(band.input).dollars() * tokens as f64 / 1e6
    };
    let written = &usage.cache_creation;
    Some(
        price(Some(band.input), usage.input_tokens)
            + price(band.read, usage.cache_read_input_tokens)
            + price(band.write_5m, written.ephemeral_5m_input_tokens)
            + price(band.write_1h, written.ephemeral_1h_input_tokens)
            + price(Some(band.output), usage.output_tokens),
    )
}
