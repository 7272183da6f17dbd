//! `aside cache explain`: the cache model's verdict on every request in a log.
//!
//! This reads a log once, as a stream. It sends each request through the
//! `CacheModel` for its rules, appends a row to a buffer, and prints the buffer
//! when it exceeds `PIECE`. A long log needs memory to hold cache state, not
//! output.
//!
//! ```text
//!    #        time        read          5m          1h       plain        cost
//!    1         +0s           0       1,232           0           0    $0.00616
//!    2      +1m00s           0       1,979           0           0    $0.00989
//!       miss: system_changed: 1,605 tokens, $0.00770 lost
//!         system[0].text at byte 848 (byte 34 of the value): date or clock
//! ```
//!
//! The model sees a response's recorded usage after its request. This corrects
//! the estimated token counts for later requests.

mod row;

use std::mem;
use std::time::Duration;

use aside_cache_model::{Body, Difference, ThinkingLoss, Usage, Verdict, thinking_lost};
use aside_inspect::rows::{Caches, LogItem, LoggedRequest, RowBuilder, Unbodied};
use aside_inspect::{miss_lines, money, since, thousands};
use aside_request_logs::Exchange;
use aside_text::one_line;
use serde::Serialize;

use super::figures;
use super::summary::Sums;
use crate::Failure;
use crate::arguments::Explain;
use crate::diff::thinking_line;
use crate::highlight;
use crate::output;
use crate::paint::Paint;
use row::{Row, UnbodiedMiss};

/// State to explain one log.
struct Explainer<'a> {
    arguments: &'a Explain,
    caches: Caches,
    rows: RowBuilder,
    sums: Sums,
    /// When the first request was sent; printed times count from here.
    start: Option<Duration>,
    out: String,
    /// True until a row is written: a heading or `--json`'s bracket comes first.
    is_first: bool,
    /// True once a request was shown.
    is_any_shown: bool,
}

/// How many bytes to buffer before writing to stdout.
const PIECE: usize = 64 * 1024;

/// Prints one row per request, and the log summary.
///
/// With `--request N`, text output shows only this request and no summary,
/// while `--json` still includes the summary. Both read the whole log, because
/// a verdict depends on the requests before it.
///
/// # Errors
/// When a log cannot be opened, or has no request with the number of
/// `--request`, this is a usage error. A log with faults and no request fails
/// with exit code 1; other faults go to stderr, and the rest of the log is used.
pub(super) fn run(arguments: &Explain) -> Result<(), Failure> {
    let mut explainer = Explainer {
        arguments,
        caches: Caches::default(),
        rows: RowBuilder::default(),
        sums: Sums::default(),
        start: None,
        out: String::new(),
        is_first: true,
        is_any_shown: false,
    };
    if arguments.log.json {
        explainer.out.push_str("{\n\"requests\": [");
    }
    let notes = arguments.log.logs().each(&mut |item| match item {
        LogItem::Request(logged) => explainer.request(&logged),
        LogItem::Unbodied(entry) => explainer.unbodied(&entry),
        LogItem::Failed(exchange) => explainer.failed(&exchange),
        _ => Ok(()),
    })?;
    let Explainer { sums, mut out, is_first, is_any_shown, .. } = explainer;
    if let Some(number) = arguments.request.filter(|_| !is_any_shown) {
        return Err(Failure::usage(anyhow::anyhow!("the log has no request {number}")));
    }
    let summary = sums.finish(&notes);
    if arguments.log.json {
        out.push_str(if is_first { "],\n" } else { "\n],\n" });
        out.push_str(&format!("\"summary\": {}\n}}\n", serde_json::to_string_pretty(&summary)?));
        return Ok(output::print([out.as_bytes()])?);
    }
    if arguments.request.is_none() {
        out.push('\n');
        out.extend(summary.lines().iter().map(|line| one_line(line).into_owned() + "\n"));
    }
    Ok(output::text(&highlight::miss(&out, Paint::of_stdout()))?)
}

impl Explainer<'_> {
    /// Appends the heading before the first row. Its lifetimes are those of that row's model.
    fn heading(&mut self, model: &str) {
        if mem::take(&mut self.is_first) {
            let facts = aside_models::find(model).facts;
            let is_openai = facts.cache_breakpoints == Some(true);
            let [short, long] = if is_openai { ["30m", "12h"] } else { ["5m", "1h"] };
            let columns = ["read", short, long, "plain", "cost"].map(|it| format!("{it:>12}"));
            self.out.push_str(&format!("   #        time{}\n", columns.concat()));
        }
    }

    /// Adds a request with a body to every total, and appends its row if it is
    /// shown.
    ///
    /// The order matters: a prediction may use earlier responses only, so the
    /// model observes this response's recorded usage after its verdict.
    fn request(&mut self, logged: &LoggedRequest) -> Result<(), Failure> {
        self.start.get_or_insert(logged.timed.at);
        let name = logged.rules.name;
        let model = self.caches.get(&logged.rules);
        let mut verdict = model.replay(&logged.timed);
        let before = model.continued().cloned();
        self.sums.bounds.entry(name).or_default().add(model, &logged.timed);
        if self.arguments.sensitivity {
            self.sums.add_sensitivity(logged, &verdict);
        }
        if let Some(usage) = logged.recorded() {
            self.sums.add_recorded(usage, logged.timed.billed_model(), logged.unknown_write());
        }
        if let Some(usage) = logged.timed.usage
            && logged.timed.request.kept_before().is_none()
        {
            self.sums.compare(logged.number, verdict.usage, usage);
        }
        self.sums.add(&verdict, figures::paid(logged, &verdict));
        let thinking = self.thinking(logged, before.as_ref());
        if self.arguments.log.no_text
            && let Some(miss) = &mut verdict.miss
        {
            miss.difference = miss.difference.take().map(Difference::without_text);
        }
        if self.is_shown(logged.number) {
            if self.arguments.log.json {
                self.json(&Row {
                    request: Some(logged.number),
                    model: logged.timed.request.model(),
                    rules: Some(name),
                    is_exact: logged.is_exact,
                    predicted: Some(&verdict),
                    recorded: logged.recorded(),
                    thinking_lost: thinking,
                    ..Row::new(&logged.exchange, logged.timed.at)
                })?;
            } else {
                self.text(logged, &verdict, thinking.as_ref());
            }
        }
        self.print_if_long()
    }

    /// Finds thinking lost between a request and the one that it continues.
    ///
    /// Returns `None` when the log serialized the body again, since a signature
    /// covers the exact bytes before it, and when the earlier body is no longer
    /// kept.
    fn thinking(&mut self, logged: &LoggedRequest, before: Option<&Body>) -> Option<ThinkingLoss> {
        let before = before.filter(|_| logged.is_exact)?;
        let lost = thinking_lost(before, &logged.timed.request)?;
        self.sums.thinking_lost += 1;
        if self.arguments.log.no_text { Some(lost.without_text()) } else { Some(lost) }
    }

    /// Adds an entry that has only recorded usage. It counts as billed, and
    /// usage and times explain its miss.
    fn unbodied(&mut self, entry: &Unbodied) -> Result<(), Failure> {
        let Some(row) = self.rows.row(LogItem::Unbodied(entry.clone())) else {
            return Ok(());
        };
        let model = entry.exchange.model.as_deref().unwrap_or_default();
        self.sums.add_recorded(entry.usage, model, row.unknown_write);
        self.sums.requests += 1;
        let miss = row.cause.as_ref().map(|cause| UnbodiedMiss {
            cause: &cause.name,
            lost_tokens: row.lost_tokens,
            lost_cost: row.lost_cost,
        });
        if let Some(miss) = miss.as_ref().filter(|it| it.lost_tokens > 0) {
            self.sums.add_loss(miss.cause.to_owned(), miss.lost_tokens, miss.lost_cost);
        }
        if self.is_shown(entry.number) {
            if self.arguments.log.json {
                self.json(&Row {
                    request: Some(entry.number),
                    recorded: Some(entry.usage),
                    miss,
                    ..Row::new(&entry.exchange, entry.at)
                })?;
            } else {
                let cost = entry.usage.cost(aside_models::find(model).facts);
                self.heading(model);
                self.line(entry.number, entry.at, entry.usage, &money(cost));
                if let Some(miss) = miss.filter(|it| it.lost_tokens > 0) {
                    let (tokens, cost) = (thousands(miss.lost_tokens), money(miss.lost_cost));
                    self.note(&format!("miss: {}: {tokens} tokens, {cost} lost", miss.cause));
                }
                if let Some(reason) = &entry.exchange.diagnostics {
                    self.note(&format!("the provider reports {reason}"));
                }
            }
        }
        self.print_if_long()
    }

    /// Appends the row for a request that the provider refused.
    fn failed(&mut self, exchange: &Exchange) -> Result<(), Failure> {
        if self.arguments.request.is_some() {
            return Ok(());
        }
        let at = exchange.at.or(self.start).unwrap_or_default();
        if self.arguments.log.json {
            return self.json(&Row::new(exchange, at));
        }
        self.heading(exchange.model.as_deref().unwrap_or_default());
        let start = *self.start.get_or_insert(at);
        let status = exchange.status.map_or_else(String::new, |it| format!(" {it}"));
        let error = exchange.error.as_deref().map_or_else(String::new, |it| format!(": {it}"));
        let line = format!("failed{status}{error}");
        self.out.push_str(&format!("   -{:>12}  {}\n", since(start, at), one_line(&line)));
        self.print_if_long()
    }

    fn is_shown(&mut self, number: usize) -> bool {
        let is_shown = self.arguments.request.is_none_or(|it| it == number);
        self.is_any_shown |= is_shown;
        is_shown
    }

    fn json(&mut self, row: &Row<'_>) -> Result<(), Failure> {
        self.out.push_str(if self.is_first { "\n" } else { ",\n" });
        self.is_first = false;
        self.out.push_str(&serde_json::to_string(row)?);
        Ok(())
    }

    /// Appends the lines for a request: its figures, the recorded ones when
    /// they differ, the miss and its difference, lost thinking, and the
    /// provider's reason.
    ///
    /// With `--request`, also prints which request this continues and what each
    /// marker did:
    ///
    /// ```text
    ///       continues request 5 by session
    ///       marker system[0] 5m: wrote
    /// ```
    fn text(&mut self, logged: &LoggedRequest, verdict: &Verdict, thinking: Option<&ThinkingLoss>) {
        self.heading(logged.timed.request.model().unwrap_or_default());
        self.line(logged.number, logged.timed.at, verdict.usage, &money(verdict.cost));
        if let Some(recorded) = logged.recorded()
            && recorded != verdict.usage
        {
            let cost = recorded.cost(aside_models::find(logged.timed.billed_model()).facts);
            self.figures("    recorded", recorded, &money(cost));
        }
        if let Some(miss) = &verdict.miss {
            let mut indent = "";
            for line in miss_lines(miss, logged.is_exact) {
                self.note(&format!("{indent}{line}"));
                indent = "  ";
            }
        }
        if let Some(lost) = thinking {
            self.note(&thinking_line(lost));
        }
        if let Some(reason) = &logged.exchange.diagnostics {
            self.note(&format!("the provider reports {reason}"));
        }
        if let Some(error) = &logged.exchange.error {
            self.note(&format!("failed: {error}"));
        }
        if self.arguments.request.is_some() {
            if let Some(parent) = verdict.parent {
                let (number, rule) = (parent.index + 1, name_in_json(&parent.rule));
                self.note(&format!("continues request {number} by {rule}"));
            }
            for marker in &verdict.markers {
                let effect = name_in_json(&marker.effect);
                self.note(&format!("marker {} {}: {effect}", marker.path, marker.ttl));
            }
        }
    }

    fn line(&mut self, number: usize, at: Duration, usage: Usage, cost: &str) {
        let start = *self.start.get_or_insert(at);
        let name = format!("{number:>4}{:>12}", since(start, at));
        self.figures(&name, usage, cost);
    }

    /// Appends the columns: tokens read, tokens written for the short lifetime (or
    /// an unknown one), tokens written for the long one, tokens neither read nor
    /// written, and the cost.
    fn figures(&mut self, name: &str, usage: Usage, cost: &str) {
        self.out.push_str(&format!("{name:<16}"));
        let short = usage.write_5m.saturating_add(usage.write_30m());
        let long = usage.write_1h.saturating_add(usage.write_12h);
        for tokens in [usage.read, short, long, usage.uncached] {
            self.out.push_str(&format!("{:>12}", thousands(tokens)));
        }
        self.out.push_str(&format!("{cost:>12}\n"));
    }

    /// Appends a line below a request, with control characters escaped.
    fn note(&mut self, note: &str) {
        self.out.push_str("      ");
        self.out.push_str(&one_line(note));
        self.out.push('\n');
    }

    fn print_if_long(&mut self) -> Result<(), Failure> {
        if self.out.len() <= PIECE {
            return Ok(());
        }
        if self.arguments.log.json {
            output::print([self.out.as_bytes()])?;
        } else {
            output::text(&highlight::miss(&self.out, Paint::of_stdout()))?;
        }
        self.out.clear();
        Ok(())
    }
}

fn name_in_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default().trim_matches('"').to_owned()
}
