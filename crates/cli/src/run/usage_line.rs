use aside_agent::Report;
use aside_models::find;
use serde::Serialize;

/// The usage of a run. Tokens are those that the provider reported.
#[derive(Debug, Serialize)]
pub(super) struct UsageLine {
    requests: u64,
    /// Input that was neither read from the cache nor written to it.
    input_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
    output_tokens: u64,
    /// By the catalogue's prices, if the model has them: an estimate, with
    /// writes at the price of five minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    dollars: Option<f64>,
}

impl UsageLine {
    pub(super) fn of(report: &Report, model: &str) -> Self {
        let usage = &report.usage;
        Self {
            requests: report.requests,
            input_tokens: usage.input_tokens,
            cache_read_input_tokens: usage.cache_read_input_tokens,
            cache_creation_input_tokens: usage.cache_creation_input_tokens,
            output_tokens: usage.output_tokens,
            dollars: dollars(report, model),
        }
    }
}

/// Returns the price of a run at the shortest prompts.
fn dollars(report: &Report, model: &str) -> Option<f64> {
    let found = find(model);
    let band = found.facts.price(0).filter(|_| found.is_known())?;
    let usage = &report.usage;
    let parts = [
        (usage.input_tokens, band.input),
        (
            usage.cache_read_input_tokens,
            band.read.unwrap_or(band.input),
        ),
        (
            usage.cache_creation_input_tokens,
            band.write_5m.unwrap_or(band.input),
        ),
        (usage.output_tokens, band.output),
    ];
    let millionths = parts.map(|(tokens, price)| tokens as f64 * price.dollars());
    Some(millionths.iter().sum::<f64>() / 1e6)
}
