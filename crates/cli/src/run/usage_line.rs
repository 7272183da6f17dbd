//! Usage in the last line of `aside run --json`.
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

/// A run's usage, including workers. Token counts come from the provider.
#[derive(Debug, Serialize)]
pub(super) struct UsageLine {
    #[serde(flatten)]
    sum: SumLine,
    /// How many calls had their results cleared by the API; absent when zero.
    #[serde(skip_serializing_if = "is_zero")]
    cleared_tool_uses: u64,
    /// How many tokens these results had; absent when zero.
    #[serde(skip_serializing_if = "is_zero")]
    cleared_input_tokens: u64,
    /// The cost at catalogue prices; absent when the catalogue has no price for
    /// the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    dollars: Option<f64>,
    /// The day of these prices; absent without `dollars`.
    #[serde(skip_serializing_if = "Option::is_none")]
    prices_as_of: Option<Date>,
    /// How much of this the workers used.
    #[serde(skip_serializing_if = "Option::is_none")]
    workers: Option<WorkersLine>,
    /// Requests that did not continue the previous bytes; absent when there are
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resets: Vec<ResetLine>,
    /// What the run paid apart from the cache; absent when there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    spending: Vec<SpentLine>,
}

/// How many requests were sent, and their tokens.
#[derive(Debug, Serialize)]
struct SumLine {
    requests: u64,
    /// Input neither read from the cache nor written to it.
    input_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
    /// Output, including thinking.
    output_tokens: u64,
}

/// Workers' usage, which is also in the totals.
#[derive(Debug, Serialize)]
struct WorkersLine {
    #[serde(flatten)]
    sum: SumLine,
    #[serde(skip_serializing_if = "Option::is_none")]
    dollars: Option<f64>,
}

impl From<&UsageSum> for SumLine {
    fn from(UsageSum { requests, usage, .. }: &UsageSum) -> Self {
        Self {
            requests: *requests,
            input_tokens: usage.uncached,
            cache_read_input_tokens: usage.read,
            cache_creation_input_tokens: usage.written(),
            output_tokens: usage.output,
        }
    }
}

/// A prefix reset.
#[derive(Debug, Serialize)]
struct ResetLine {
    /// The reason's name.
    reason: &'static str,
    /// Thinking blocks that are no longer sent.
    lost_thinking: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl UsageLine {
    pub(super) fn of(
        report: &RunReport,
        prices_as_of: Option<Date>,
        spending: Vec<SpentLine>,
    ) -> Self {
        let resets = report.resets.iter().map(|reset| ResetLine {
            reason: reset.reason.as_str(),
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
