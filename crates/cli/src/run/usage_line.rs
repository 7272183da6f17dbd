//! The usage in the last line of `aside run --json`.
//!
//! ```json
//! {"requests": 2, "input_tokens": 25, "cache_read_input_tokens": 1232,
//!  "cache_creation_input_tokens": 373, "output_tokens": 48, "dollars": 0.0042,
//!  "resets": [{"reason": "tools", "lost_thinking": 1}]}
//! ```

use aside_agent::{RunReport, UsageSum};
use aside_models::Date;
use serde::Serialize;

use super::spending::SpentLine;

/// The usage of a run, its workers included. Tokens are those that the provider
/// reported.
#[derive(Debug, Serialize)]
pub(super) struct UsageLine {
    #[serde(flatten)]
    sum: SumLine,
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
    /// What the run paid apart from the cache; absent if there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    spending: Vec<SpentLine>,
}

/// The requests that were sent, and their tokens.
#[derive(Debug, Serialize)]
struct SumLine {
    requests: u64,
    /// Input that was neither read from the cache nor written to it.
    input_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
    /// Output, thinking included.
    output_tokens: u64,
}

/// The usage of workers, which is also part of the totals.
#[derive(Debug, Serialize)]
struct WorkersLine {
    #[serde(flatten)]
    sum: SumLine,
    #[serde(skip_serializing_if = "Option::is_none")]
    dollars: Option<f64>,
}

impl From<&UsageSum> for SumLine {
    fn from(
        UsageSum {
            requests, usage, ..
        }: &UsageSum,
    ) -> Self {
        Self {
            requests: *requests,
            input_tokens: usage.uncached,
            cache_read_input_tokens: usage.read,
            cache_creation_input_tokens: usage.written(),
            output_tokens: usage.output,
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
    pub(super) fn of(
        report: &RunReport,
        prices_as_of: Option<Date>,
        spending: Vec<SpentLine>,
    ) -> Self {
        let resets = report.resets.iter().map(|reset| ResetLine {
            reason: reset.reason.name(),
            lost_thinking: reset.lost_thinking,
        });
        Self {
            sum: SumLine::from(&report.spent),
            cleared_tool_uses: report.edits.tool_uses,
            cleared_input_tokens: report.edits.input_tokens,
            dollars: report.spent.dollars,
            prices_as_of: prices_as_of.filter(|_| report.spent.dollars.is_some()),
            workers: report.delegated.as_ref().map(|workers| WorkersLine {
                sum: SumLine::from(workers),
                dollars: workers.dollars,
            }),
            resets: resets.collect(),
            spending,
        }
    }
}
