//! The price of a request.

use aside_models::{Found, Price, find_on};
use aside_providers::Usage;
use serde::Deserialize;

use super::Session;

/// The tokens that were written to the cache, by their lifetime. It is part of
/// the usage in a response of the Messages API:
///
/// ```json
/// {"ephemeral_5m_input_tokens": 120, "ephemeral_1h_input_tokens": 8000}
/// ```
#[derive(Default, Deserialize)]
struct CacheCreation {
    #[serde(default)]
    ephemeral_1h_input_tokens: u64,
}

impl Session {
    /// Returns the price of a request and its answer in US dollars, by the
    /// catalogue of models. Compactions that the API ran for it are included.
    /// `None` if the price of the model is unknown.
    ///
    /// The prices depend on the length of the prompt, which is the sum of
    /// fresh, read and written tokens. A read or a write without a price of its
    /// own costs as much as fresh input. Fees that are not per token, such as
    /// those of server tools, are not included.
    #[must_use]
    pub fn price(&self, usage: &Usage) -> Option<f64> {
        let config = &self.config;
        let model = config.answering_model.as_ref().unwrap_or(&config.model);
        let found = find_on(config.service, model);
        let compactions = usage.compactions();
        let mut samplings = compactions.iter().chain([usage]);
        samplings.try_fold(0.0, |sum, usage| Some(sum + price(&found, usage)?))
    }
}

/// Returns the price of one sampling in US dollars.
fn price(found: &Found, usage: &Usage) -> Option<f64> {
    let (read, written) = (
        usage.cache_read_input_tokens,
        usage.cache_creation_input_tokens,
    );
    let prompt = usage.input_tokens.saturating_add(read);
    let prompt = prompt.saturating_add(written);
    let band = found.facts.price(prompt).filter(|_| found.is_known())?;
    let long = long_writes(usage).min(written);
    let of = |tokens: u64, price: Option<Price>| {
        tokens as f64 / 1e6 * price.unwrap_or(band.input).dollars()
    };
    Some(
        of(usage.input_tokens, None)
            + of(read, band.read)
            + of(written - long, band.write_5m)
            + of(long, band.write_1h)
            + of(usage.output_tokens, Some(band.output)),
    )
}

/// Returns the tokens that were written for an hour.
///
/// Zero for a provider that does not report lifetimes.
fn long_writes(usage: &Usage) -> u64 {
    let mut extra = usage.extra.0.iter();
    let written = extra.find(|(key, _)| key == "cache_creation");
    let written = written.and_then(|(_, json)| serde_json::from_str(json.get()).ok());
    let written: CacheCreation = written.unwrap_or_default();
    written.ephemeral_1h_input_tokens
}
