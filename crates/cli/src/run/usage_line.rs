use aside_agent::{DelegatedUsage, RunReport};
use serde::Serialize;

/// The usage of a run, its workers included. Tokens are those that the provider
/// reported.
#[derive(Debug, Serialize)]
pub(super) struct UsageLine {
    requests: u64,
    /// Input that was neither read from the cache nor written to it.
    input_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
    output_tokens: u64,
    /// Calls whose results the API cleared, and the tokens of these results.
    #[serde(skip_serializing_if = "is_zero")]
    cleared_tool_uses: u64,
    #[serde(skip_serializing_if = "is_zero")]
    cleared_input_tokens: u64,
    /// By the prices of the catalogue, if it has those of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    dollars: Option<f64>,
    /// The part of the workers in these figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    workers: Option<WorkersLine>,
    /// The requests that did not continue the bytes of the one before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resets: Vec<ResetLine>,
}

/// The usage of workers.
#[derive(Debug, Serialize)]
struct WorkersLine {
    requests: u64,
    input_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
    output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dollars: Option<f64>,
}

impl WorkersLine {
    fn of(delegated: &DelegatedUsage) -> Self {
        let usage = &delegated.usage;
        Self {
            requests: delegated.requests,
            input_tokens: usage.input_tokens,
            cache_read_input_tokens: usage.cache_read_input_tokens,
            cache_creation_input_tokens: usage.cache_creation_input_tokens,
            output_tokens: usage.output_tokens,
            dollars: delegated.dollars,
        }
    }
}

/// A reset of the prefix.
#[derive(Debug, Serialize)]
struct ResetLine {
    reason: &'static str,
    /// Thinking blocks that are not sent any more.
    lost_thinking: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl UsageLine {
    pub(super) fn of(report: &RunReport) -> Self {
        let usage = &report.usage;
        let resets = report.resets.iter().map(|reset| ResetLine {
            reason: reset.reason.name(),
            lost_thinking: reset.lost_thinking,
        });
        let resets = resets.collect();
        Self {
            requests: report.requests,
            input_tokens: usage.input_tokens,
            cache_read_input_tokens: usage.cache_read_input_tokens,
            cache_creation_input_tokens: usage.cache_creation_input_tokens,
            output_tokens: usage.output_tokens,
            cleared_tool_uses: report.edits.tool_uses,
            cleared_input_tokens: report.edits.input_tokens,
            dollars: report.dollars,
            workers: report.delegated.as_ref().map(WorkersLine::of),
            resets,
        }
    }
}
