//! `aside cache explain`: the verdict of the cache model on every request of a log.
//!
//! A log is read once, as a stream. Each request is sent through the `CacheModel` of its
//! rules, its row is appended to a buffer, and the buffer is printed whenever it is
//! longer than `PIECE`: a long log needs memory for the state of the caches, not for its
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
//! The recorded usage of a response is given to the model after its request, which
//! corrects the estimated token counts of the requests that follow.

use std::collections::HashMap;
use std::time::Duration;

use aside_cache_model::{
    Body, Bound, CacheRules, Cost, Sensitivity, SensitivityRun, ThinkingLoss, Usage, Verdict,
    thinking_lost,
};
use aside_inspect::rows::{Caches, LogItem, LoggedRequest, RowBuilder, Unbodied};
use aside_inspect::{miss_lines, money, since, thousands};
use aside_request_logs::Exchange;
use aside_text::one_line;
use serde::Serialize;

use super::summary::Sums;
use crate::Failure;
use crate::arguments::Explain;
use crate::count::count;
use crate::highlight;
use crate::output;
use crate::paint::Paint;

/// One request of the array `requests` that `--json` prints, on one line of the output.
///
/// ```json
/// {"request": 2, "line": 2, "at": 60.0, "session": "demo", "rules": "anthropic", "is_exact": true,
///  "predicted": {"hit": {"path": "messages[0].content[0]", "tokens": 1232}, "cost": 0.0021114, …},
///  "recorded": {"read": 1232, "write_5m": 373, "write_1h": 0, "uncached": 0}}
/// ```
///
/// An entry without a body (a transcript has only usage) has no `rules` and no
/// `predicted`. Keys are added, never changed.
#[derive(Serialize)]
struct Row<'a> {
    /// The number of the request, from 1; failed requests are not counted, and have none.
    request: Option<usize>,
    /// The line of the log, from 1.
    line: usize,
    /// Seconds since the fixed moment from which the log counts.
    at: f64,
    /// The id of the session; absent if the log has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    /// The id of the model, if the log or the body names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    /// The HTTP status, if the log has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// The message of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// The preset of the cache rules, such as `anthropic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<&'a str>,
    /// True if byte offsets are those of the bytes that were sent.
    is_exact: bool,
    /// The verdict of the model; absent without a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted: Option<&'a Verdict>,
    /// The usage that the provider reported, if the log has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<Usage>,
    /// The reason for a miss that the provider itself reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<&'a str>,
    /// The thinking blocks that a model no longer reads because the prefix before them
    /// changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_lost: Option<ThinkingLoss>,
    /// The miss of an entry without a body, from usage and times.
    #[serde(skip_serializing_if = "Option::is_none")]
    miss: Option<UnbodiedMiss<'a>>,
}

/// The miss of an entry without a body.
#[derive(Serialize)]
struct UnbodiedMiss<'a> {
    cause: &'a str,
    lost_tokens: u64,
    lost_cost: Option<Cost>,
}

impl<'a> Row<'a> {
    /// Creates a row with the facts of the log.
    fn new(exchange: &'a Exchange, at: Duration) -> Self {
        Self {
            request: None,
            line: exchange.line,
            at: at.as_secs_f64(),
            session: exchange.session.as_deref(),
            model: exchange.model.as_deref(),
            status: exchange.status,
            error: exchange.error.as_deref(),
            rules: None,
            is_exact: false,
            predicted: None,
            recorded: None,
            diagnostics: exchange.diagnostics.as_deref(),
            thinking_lost: None,
            miss: None,
        }
    }
}

/// The state of one run of `aside cache explain` over a log.
///
/// All maps are keyed by the name of a preset of rules, since requests to different
/// providers share no cache entries.
struct Explainer<'a> {
    /// The arguments of the command.
    arguments: &'a Explain,
    /// One model of a cache for each preset.
    caches: Caches,
    /// The rows of entries without bodies.
    rows: RowBuilder,
    /// The least possible cost of the requests, for the last line of the summary.
    bounds: HashMap<&'static str, Bound>,
    /// One model for each reversed assumption; empty without `--sensitivity`.
    sensitivity: HashMap<&'static str, SensitivityRun>,
    /// The totals of the summary.
    sums: Sums,
    /// The time of the first request, from which the printed times count.
    start: Option<Duration>,
    /// The latest bodies, by their index in the cache of their preset, from 0. A body is
    /// removed when a request continues it.
    recent: HashMap<(&'static str, usize), Body>,
    /// The number of requests that each cache has seen, which is the index of the next
    /// one.
    counts: HashMap<&'static str, usize>,
    /// Output that is not printed yet.
    out: String,
    /// True until a row of `--json` is written: all others begin with a comma.
    is_first: bool,
}

/// The number of bodies that are kept for the verdict on thinking. If a request continues
/// an older one, lost thinking is not reported.
const RECENT: usize = 64;

/// The length of the output from which it is written to stdout, in bytes.
const PIECE: usize = 64 * 1024;

/// Prints one row per request, and the summary of the log.
///
/// With `--request N` the text has that request only and no summary, and `--json` has the
/// summary nevertheless: the whole log is read in both cases, because the verdict on a
/// request depends on those before it.
///
/// # Errors
/// A log that cannot be opened is a usage error. A log with faults and without any
/// request fails with exit code 1; other faults are reported on stderr, and the rest of
/// the log is used.
pub(super) fn run(arguments: &Explain) -> Result<(), Failure> {
    let mut explainer = Explainer {
        arguments,
        caches: Caches::default(),
        rows: RowBuilder::default(),
        bounds: HashMap::new(),
        sensitivity: HashMap::new(),
        sums: Sums::default(),
        start: None,
        recent: HashMap::new(),
        counts: HashMap::new(),
        out: String::new(),
        is_first: true,
    };
    if arguments.log.json {
        explainer.out.push_str("{\n\"requests\": [");
    } else {
        explainer.heading();
    }
    let notes = arguments.log.logs().each(&mut |item| match item {
        LogItem::Request(logged) => explainer.request(&logged),
        LogItem::Unbodied(entry) => explainer.unbodied(&entry),
        LogItem::Failed(exchange) => explainer.failed(&exchange),
        _ => Ok(()),
    })?;
    let Explainer {
        bounds,
        sensitivity,
        sums,
        mut out,
        is_first,
        ..
    } = explainer;
    let mut names: Vec<_> = bounds.keys().copied().collect();
    names.sort_unstable();
    let bounds: Vec<&Bound> = names.iter().map(|it| &bounds[it]).collect();
    let sensitivity: Vec<Sensitivity> = sensitivity
        .into_values()
        .flat_map(SensitivityRun::finish)
        .collect();
    let summary = sums.finish(&bounds, sensitivity, &notes);
    if arguments.log.json {
        out.push_str(if is_first { "],\n" } else { "\n],\n" });
        out.push_str(&format!(
            "\"summary\": {}\n}}\n",
            serde_json::to_string_pretty(&summary)?
        ));
        output::print([out.as_bytes()])?;
        return Ok(());
    }
    if arguments.request.is_none() {
        out.push('\n');
        for line in summary.lines() {
            out.push_str(&one_line(&line));
            out.push('\n');
        }
    }
    output::text(&highlight::miss(&out, Paint::of_stdout()))?;
    Ok(())
}

impl Explainer<'_> {
    /// Appends the headings of the columns.
    fn heading(&mut self) {
        let columns = ["read", "5m", "1h", "plain", "cost"];
        self.out.push_str("   #        time");
        for column in columns {
            self.out.push_str(&format!("{column:>12}"));
        }
        self.out.push('\n');
    }

    /// Adds a request with a body to every total, and appends its row if it is shown.
    ///
    /// The order matters: the prediction uses the usage of earlier responses only, so the
    /// model observes the recorded usage of this response after its verdict.
    fn request(&mut self, logged: &LoggedRequest) -> Result<(), Failure> {
        self.start.get_or_insert(logged.timed.at);
        let name = logged.rules.name;
        let rules: &CacheRules = &logged.rules;
        let model = self.caches.get(rules);
        let mut verdict = model.send_timed(&logged.timed);
        let bound = self.bounds.entry(name).or_default();
        bound.add(model, &logged.timed);
        if self.arguments.sensitivity {
            let run = self.sensitivity.entry(name);
            run.or_insert_with(|| SensitivityRun::new(rules))
                .add(&logged.timed, &verdict);
        }
        if let Some(usage) = logged.timed.usage {
            let id = logged.timed.request.model().unwrap_or_default();
            self.sums.add_recorded(usage, id);
            if !logged.timed.request.is_kept_by_provider() {
                self.sums.compare(logged.number, verdict.usage, usage);
            }
            model.observe(usage);
        }
        self.sums.add(&verdict);
        let thinking = self.thinking(logged, &verdict);
        if self.arguments.log.no_text
            && let Some(miss) = &mut verdict.miss
        {
            miss.difference = miss
                .difference
                .take()
                .map(aside_cache_model::Difference::without_text);
        }
        if self.is_shown(logged.number) {
            match self.arguments.log.json {
                true => self.json(&Row {
                    request: Some(logged.number),
                    model: logged.timed.request.model(),
                    rules: Some(name),
                    is_exact: logged.is_exact,
                    predicted: Some(&verdict),
                    recorded: logged.timed.usage,
                    thinking_lost: thinking,
                    ..Row::new(&logged.exchange, logged.timed.at)
                })?,
                false => self.text(logged, &verdict, thinking.as_ref()),
            }
        }
        self.print_if_long()
    }

    /// Finds thinking that is lost between a request and the one that it continues.
    ///
    /// Returns `None` for bodies that the log serialized again, since the signature of a
    /// thinking block covers the exact bytes before it, and if the earlier body is no
    /// longer kept.
    fn thinking(&mut self, logged: &LoggedRequest, verdict: &Verdict) -> Option<ThinkingLoss> {
        let name = logged.rules.name;
        let count = self.counts.entry(name).or_default();
        let index = *count;
        *count += 1;
        let request = &logged.timed.request;
        let before = verdict
            .parent
            .and_then(|it| self.recent.remove(&(name, it.index)));
        self.recent.insert((name, index), request.clone());
        self.recent.remove(&(name, index.wrapping_sub(RECENT)));
        let lost = before
            .filter(|_| logged.is_exact)
            .and_then(|it| thinking_lost(&it, request))?;
        self.sums.add_thinking_lost();
        match self.arguments.log.no_text {
            true => Some(lost.without_text()),
            false => Some(lost),
        }
    }

    /// Adds an entry that has only recorded usage. It is billed in the totals, and its
    /// miss is explained by usage and times.
    fn unbodied(&mut self, entry: &Unbodied) -> Result<(), Failure> {
        let Some(row) = self.rows.row(LogItem::Unbodied(entry.clone())) else {
            return Ok(());
        };
        let model = entry.exchange.model.as_deref().unwrap_or_default();
        self.sums.add_recorded(entry.usage, model);
        self.sums.add_unbodied();
        let miss = row.cause.as_ref().map(|cause| UnbodiedMiss {
            cause: &cause.name,
            lost_tokens: row.lost_tokens,
            lost_cost: row.lost_cost,
        });
        if let Some(miss) = miss.as_ref().filter(|it| it.lost_tokens > 0) {
            self.sums
                .add_loss(miss.cause.to_owned(), miss.lost_tokens, miss.lost_cost);
        }
        if self.is_shown(entry.number) {
            match self.arguments.log.json {
                true => self.json(&Row {
                    request: Some(entry.number),
                    recorded: Some(entry.usage),
                    miss,
                    ..Row::new(&entry.exchange, entry.at)
                })?,
                false => {
                    let cost = entry.usage.cost(aside_models::find(model).facts);
                    self.line(entry.number, entry.at, entry.usage, &money(cost));
                    if let Some(miss) = miss.filter(|it| it.lost_tokens > 0) {
                        let (tokens, cost) = (thousands(miss.lost_tokens), money(miss.lost_cost));
                        self.note(&format!(
                            "miss: {}: {tokens} tokens, {cost} lost",
                            miss.cause
                        ));
                    }
                    if let Some(reason) = &entry.exchange.diagnostics {
                        self.note(&format!("the provider reports {reason}"));
                    }
                }
            }
        }
        self.print_if_long()
    }

    /// Appends the row of a request that the provider refused.
    fn failed(&mut self, exchange: &Exchange) -> Result<(), Failure> {
        if self.arguments.request.is_some() {
            return Ok(());
        }
        let at = exchange.at.or(self.start).unwrap_or_default();
        if self.arguments.log.json {
            return self.json(&Row::new(exchange, at));
        }
        let start = *self.start.get_or_insert(at);
        let status = exchange
            .status
            .map_or_else(String::new, |it| format!(" {it}"));
        let error = exchange
            .error
            .as_deref()
            .map_or_else(String::new, |it| format!(": {it}"));
        let line = format!("failed{status}{error}");
        self.out.push_str(&format!(
            "   -{:>12}  {}\n",
            since(start, at),
            one_line(&line)
        ));
        self.print_if_long()
    }

    /// Returns true if `--request` is not given or names this request.
    fn is_shown(&self, number: usize) -> bool {
        self.arguments.request.is_none_or(|it| it == number)
    }

    /// Appends one row of the array `requests`.
    fn json(&mut self, row: &Row<'_>) -> Result<(), Failure> {
        self.out.push_str(if self.is_first { "\n" } else { ",\n" });
        self.is_first = false;
        self.out.push_str(&serde_json::to_string(row)?);
        Ok(())
    }

    /// Appends the lines of a request: its figures, the recorded ones if they differ, the
    /// miss with its difference, lost thinking, and the reason that the provider reports.
    ///
    /// With `--request` there are also the request that it continues and the effect of
    /// each marker:
    ///
    /// ```text
    ///       continues request 5 by session
    ///       marker system[0] 5m: wrote
    /// ```
    fn text(&mut self, logged: &LoggedRequest, verdict: &Verdict, thinking: Option<&ThinkingLoss>) {
        self.line(
            logged.number,
            logged.timed.at,
            verdict.usage,
            &money(verdict.cost),
        );
        if let Some(recorded) = logged.timed.usage
            && recorded != verdict.usage
        {
            let cost = recorded
                .cost(aside_models::find(logged.timed.request.model().unwrap_or_default()).facts);
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
            self.note(&format!(
                "thinking lost: {} from {} on ({})",
                count(lost.blocks as u64, "block", "blocks"),
                lost.first,
                match lost.outcome {
                    aside_cache_model::ThinkingOutcome::Dropped => "dropped in silence",
                    _ => "the API refuses the request",
                }
            ));
        }
        if let Some(reason) = &logged.exchange.diagnostics {
            self.note(&format!("the provider reports {reason}"));
        }
        if self.arguments.request.is_some() {
            if let Some(parent) = verdict.parent {
                let rule = serde_json::to_string(&parent.rule).unwrap_or_default();
                self.note(&format!(
                    "continues request {} by {}",
                    parent.index + 1,
                    rule.trim_matches('"')
                ));
            }
            for marker in &verdict.markers {
                let effect = serde_json::to_string(&marker.effect).unwrap_or_default();
                self.note(&format!(
                    "marker {} {}: {}",
                    marker.path,
                    marker.ttl,
                    effect.trim_matches('"')
                ));
            }
        }
    }

    /// Appends the figures of a request after its number and its time.
    fn line(&mut self, number: usize, at: Duration, usage: Usage, cost: &str) {
        let start = *self.start.get_or_insert(at);
        let name = format!("{number:>4}{:>12}", since(start, at));
        self.figures(&name, usage, cost);
    }

    /// Appends the columns: tokens that are read, written for five minutes (or for a
    /// lifetime that is not known), written for an hour, and neither read nor written;
    /// then the cost.
    fn figures(&mut self, name: &str, usage: Usage, cost: &str) {
        self.out.push_str(&format!("{name:<16}"));
        for tokens in [
            usage.read,
            usage.write_5m.saturating_add(usage.write_other),
            usage.write_1h,
            usage.uncached,
        ] {
            self.out.push_str(&format!("{:>12}", thousands(tokens)));
        }
        self.out.push_str(&format!("{cost:>12}\n"));
    }

    /// Appends a line below a request. Control characters are escaped.
    fn note(&mut self, note: &str) {
        self.out.push_str("      ");
        self.out.push_str(&one_line(note));
        self.out.push('\n');
    }

    /// Prints the output if it is longer than `PIECE`, and empties the buffer.
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
