//! The usage in the last line of `aside run --json`.
//!
//! ```json
//! {"requests": 2, "input_tokens": 25, "cache_read_input_tokens": 1232,
//!  "cache_creation_input_tokens": 373, "output_tokens": 48, "dollars": 0.0042,
//!  "resets": [{"reason": "tools", "lost_thinking": 1}]}
//! ```

use aside_agent::{DelegatedUsage, RunReport};
use aside_models::Date;
use serde::Serialize;

/// The usage of a run, its workers included. Tokens are those that the provider
/// reported.
#[derive(Debug, Serialize)]
pub(super) struct UsageLine {
    /// The requests that were sent, those of workers included.
    requests: u64,
    /// Input that was neither read from the cache nor written to it.
    input_tokens: u64,
    /// Input that was read from the cache.
    cache_read_input_tokens: u64,
    /// Input that was written to the cache.
    cache_creation_input_tokens: u64,
    /// Output, thinking included.
    output_tokens: u64,
    /// The number of calls whose results the API cleared; absent if it is zero.
    #[serde(skip_serializing_if = "is_zero")]
    cleared_tool_uses: u64,
    /// The tokens of these results; absent if it is zero.
    #[serde(skip_serializing_if = "is_zero")]
    cleared_input_tokens: u64,
    /// The cost by the prices of the catalogue; absent if the catalogue does not have
    /// those of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    dollars: Option<f64>,
    /// The day of these prices; absent without `dollars`.
    #[serde(skip_serializing_if = "Option::is_none")]
    prices_as_of: Option<Date>,
    /// The part of the workers in these figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    workers: Option<WorkersLine>,
    /// The requests that did not continue the bytes of the one before; absent if there
    /// are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resets: Vec<ResetLine>,
}

/// The usage of workers, which is also part of the totals.
#[derive(Debug, Serialize)]
struct WorkersLine {
    /// The requests of all workers together.
    requests: u64,
    input_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
    output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dollars: Option<f64>,
}

impl WorkersLine {
    /// Returns the usage that the loop added up for its workers.
    fn of(delegated: &DelegatedUsage) -> Self {
        let usage = &delegated.usage;
        Self {
            requests: delegated.requests,
            input_tokens: usage.uncached,
            cache_read_input_tokens: usage.read,
            cache_creation_input_tokens: usage.written(),
            output_tokens: usage.output,
            dollars: delegated.dollars,
        }
    }
}

/// A reset of the prefix.
#[derive(Debug, Serialize)]
struct ResetLine {
    /// The name of the reason.
    reason: &'static str,
    /// Thinking blocks that are not sent any more.
    lost_thinking: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl UsageLine {
    /// Returns the usage of a run.
    pub(super) fn of(report: &RunReport, prices_as_of: Option<Date>) -> Self {
        let usage = &report.usage;
        let resets = report
            .resets
            .iter()
            .map(|reset| ResetLine {
                reason: reset.reason.name(),
                lost_thinking: reset.lost_thinking,
            })
            .collect();
        Self {
            requests: report.requests,
            input_tokens: usage.uncached,
            cache_read_input_tokens: usage.read,
            cache_creation_input_tokens: usage.written(),
            output_tokens: usage.output,
            cleared_tool_uses: report.edits.tool_uses,
            cleared_input_tokens: report.edits.input_tokens,
            dollars: report.dollars,
            prices_as_of: prices_as_of.filter(|_| report.dollars.is_some()),
            workers: report.delegated.as_ref().map(WorkersLine::of),
            resets,
        }
    }
}
