//! `aside cache lint`: wasteful cache use in a log, the most expensive first.
//!
//! ```text
//! prefix-changed (date or clock): 2 requests, first request 3 at system[0].text: 4,331 tokens, …
//! ```
//!
//! This reads the log once, with one `aside_cache_model::Linter` per preset.
//! Findings are complete only when the log ends, because a write was worth its
//! price if a later request read it.
//!
//! When a finding is denied, the exit code is 1. Without `--deny` every cache
//! rule is denied, except that `--max-cost-over-bound` alone makes the ratio
//! the only condition. To deny what a session pays for single calls, long
//! results and unused tools, you have to name the rule: no log can tell whether
//! calls are independent or a tool is needed.

use std::collections::HashMap;

use anyhow::anyhow;
#[cfg(feature = "junit")]
use aside_cache_model::SPENDING_RULES;
use aside_cache_model::{Bound, Cost, CostFinding, LINT_RULES, Linter, Spending};
use aside_inspect::rows::{Caches, LogItem};
use aside_inspect::{money, thousands};
use aside_models::Date;
use aside_text::one_line;
#[cfg(feature = "junit")]
use quick_junit::{Report, TestCase};
use serde::Serialize;

use super::figures;
use crate::Failure;
use crate::arguments::Lint;
use crate::count::{count, fail_on};
#[cfg(feature = "junit")]
use crate::junit::{report, status, write};
use crate::kinds;
use crate::logs;
use crate::output;
use crate::rules::rule_of;

/// The object that `--json` prints.
///
/// ```json
/// {"findings": [{"rule": "prefix-changed", "cause": "date_or_clock", "requests": 2, "first": 2,
///                "path": "system[0].text", "lost_tokens": 4331, "lost_cost": 0.0207888,
///                "fix": "…"}],
///  "cost": 0.0433172, "bound": 0.0403338, "prices_as_of": "2026-11-21", "cost_over_bound": 1.074}
/// ```
#[derive(Serialize)]
struct Found<'a> {
    /// All findings, denied or not; `first` is a number from 1.
    findings: &'a [CostFinding],
    /// What the log's input cost, by its recorded usage where it has one; `null` when a model's
    /// price is unknown.
    cost: Option<Cost>,
    /// The lowest cost that any marker placement can reach.
    bound: Option<Cost>,
    /// The day of the oldest price used here.
    prices_as_of: Option<Date>,
    /// `cost` divided by `bound`, rounded to three digits; `null` when the
    /// bound is zero or unknown.
    cost_over_bound: Option<f64>,
}

/// Prints the findings, writes the `--junit` report, and fails when a finding
/// is denied.
///
/// CI needs the report in every case, so write it before deciding the exit
/// code. `--max-cost-over-bound` applies to the ratio before rounding.
pub(super) fn run(arguments: &Lint) -> Result<(), Failure> {
    let mut caches = Caches::default();
    let mut linters: HashMap<&'static str, (Linter, Bound)> = HashMap::new();
    let mut spending = Spending::default();
    let (mut cost, mut prices_as_of) = (Some(Cost::ZERO), None);
    let mut unbodied = 0;
    let notes = arguments.log.logs().each(&mut |item| {
        let logged = match item {
            LogItem::Request(logged) => logged,
            LogItem::Unbodied(_) => {
                unbodied += 1;
                return Ok(());
            }
            _ => return Ok(()),
        };
        let model = caches.get(&logged.rules);
        let verdict = model.replay(&logged.timed);
        let (linter, bound) = linters.entry(logged.rules.name).or_default();
        linter.add(model, &logged.timed, &verdict);
        bound.add(model, &logged.timed);
        spending.add(model, &logged.timed, &verdict);
        cost = cost.zip(figures::paid(&logged, &verdict)).map(|(a, b)| a + b);
        prices_as_of = Date::earlier(prices_as_of, verdict.prices_as_of);
        Ok(())
    })?;
    logs::report_assumed(&notes);
    if unbodied > 0 {
        let requests = count(unbodied, "request has", "requests have");
        let note = format!("{requests} no body: aside report shows what they lost");
        output::report(&kinds::NOT_LINTED.diagnostic(note));
    }
    let bound = figures::bound(linters.values().map(|it| it.1.cost()));
    let over = figures::over_bound(cost, bound);
    let mut findings: Vec<CostFinding> =
        linters.into_values().flat_map(|it| it.0.finish()).collect();
    findings.extend(spending.finish());
    if arguments.log.no_text {
        findings = findings.into_iter().map(CostFinding::without_text).collect();
    }
    findings.sort_by_key(CostFinding::by_cost);
    if arguments.log.json {
        let cost_over_bound = over.map(figures::thousandths);
        let findings = &findings[..];
        output::json(&Found { findings, cost, bound, prices_as_of, cost_over_bound })?;
    } else {
        let mut text: String = findings.iter().map(|it| line(it) + "\n").collect();
        if findings.is_empty() {
            text = match over {
                Some(over) => {
                    format!("no findings: the log costs {over:.2} times the least possible\n")
                }
                None => "no findings\n".to_owned(),
            };
        }
        if let Some(day) = prices_as_of.filter(|_| !findings.is_empty()) {
            text += &format!("prices of {day}\n");
        }
        output::lines(&text)?;
    }
    // With only a cost limit, findings are for information.
    let denies_all = arguments.deny.is_empty() && arguments.max_cost_over_bound.is_none();
    let denies: Vec<_> = arguments.deny.iter().filter_map(rule_of).collect();
    let is_denied = |found: &&CostFinding| {
        let of_cache = LINT_RULES.iter().any(|rule| rule.id == found.rule);
        (denies_all && of_cache) || denies.iter().any(|rule| rule.id == found.rule)
    };
    let denied: Vec<&CostFinding> = findings.iter().filter(is_denied).collect();
    let excess = arguments.max_cost_over_bound.and_then(|most| match over {
        Some(over) if over <= most => None,
        Some(over) => {
            Some(format!("the log costs {over:.2} times the least possible, more than {most}"))
        }
        None => Some("the log's cost or its lower bound is unknown".to_owned()),
    });
    #[cfg(feature = "junit")]
    if let Some(file) = &arguments.junit {
        let limit = arguments.max_cost_over_bound.map(|_| excess.as_deref());
        write(file, &junit(&denied, limit))?;
    }
    if let Some(excess) = excess {
        return Err(anyhow!(excess).into());
    }
    fail_on(denied.len() as u64, "finding", "findings")
}

/// Returns a finding as one line, without a newline. Escapes control characters
/// in a path.
pub(crate) fn line(finding: &CostFinding) -> String {
    let path = finding.path.as_ref().map(|it| format!(" at {it}")).unwrap_or_default();
    let cause = finding.cause.map(|it| format!(" ({it})"));
    let text = format!(
        "{}{}: {}, first request {}{path}: {} tokens, {} lost; {}",
        finding.rule,
        cause.unwrap_or_default(),
        count(finding.requests as u64, "request", "requests"),
        finding.first,
        thousands(finding.lost_tokens),
        money(finding.lost_cost),
        finding.fix
    );
    one_line(&text).into_owned()
}

/// Returns a report with one test per rule, in [`LINT_RULES`] and
/// [`SPENDING_RULES`] order. When a finding is denied, its rule's test fails
/// with the finding's line.
///
/// A rule that was found but not denied counts as passed. The message has each
/// finding of the rule: it may have several causes, or requests to several
/// providers. With a limit of the cost there is a test for it, with what exceeds it.
#[cfg(feature = "junit")]
fn junit(denied: &[&CostFinding], limit: Option<Option<&str>>) -> Report {
    let rules = LINT_RULES.into_iter().chain(SPENDING_RULES);
    let cases = rules.map(|rule| {
        let found = denied.iter().filter(|it| it.rule == rule.id);
        let lines: Vec<String> = found.map(|it| line(it)).collect();
        let message = (!lines.is_empty()).then(|| lines.join("\n"));
        TestCase::new(rule.id, status(message))
    });
    let limit = limit.map(|excess| TestCase::new("max-cost-over-bound", status(excess)));
    report("aside cache lint", cases.chain(limit))
}
