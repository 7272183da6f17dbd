//! `aside cache simulate`: what the requests in a log would cost with other
//! markers.
//!
//! To compare placements, each combination with a lifetime or lifetime policy
//! gets its own `Run` and caches. Every run sends each request once: the first
//! sends it unchanged, the others replace its markers. This reads the log once,
//! so time grows with the log length times the number of runs.
//!
//! ```text
//! placement         read  written   plain    hits    cost  saved per 1,000
//! as is           12,136    8,178       0  59.7 %  $0.043            $0.00
//! none                 0        0  20,314   0.0 %  $0.081          -$12.63
//! aside 1h        12,136    8,178       0  59.7 %  $0.068           -$8.17
//! bound: $0.041, no placement of markers costs less
//! ```
//!
//! Savings are per 1,000 requests. When a log covers a day or more, they are
//! per month at its rate.
//!
//! When the log has the usage, each run counts tokens as the provider did.
//!
//! On OpenAI's wires, the provider sets a breakpoint itself at the latest message. The explicit
//! ones are removed, but for Aside's plans: they add to the body as it was sent, for models that
//! have breakpoints, as the proxy does. Every run sends the rest unchanged, and a warning counts it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use anyhow::anyhow;
use aside_cache_model::{
    Body, Bound, CacheModel, CacheRules, Cost, MissReason, Timed, Usage, Verdict,
};
use aside_cache_split::{Addition, Caching, PlanOptions, TtlPolicy, plan_body, plan_request};
use aside_inspect::rows::LogItem;
use aside_inspect::{money, thousands};
use aside_json::scan as json;
use aside_messages::wire::{CacheControl, Request, Ttl};
use aside_models::{Date, Wire};
use serde::Serialize;

use super::figures;
use crate::Failure;
use crate::arguments::{CacheTtl, Placement, Simulate};
use crate::paint::Paint;
use crate::table::{Column, Table};
use crate::{kinds, logs, output};

/// A day, in seconds: the shortest log to extrapolate to a month.
const DAY: f64 = 24.0 * 3_600.0;
const MONTH: f64 = 30.0 * DAY;

/// Seconds between warming requests: a little less than the five minutes after
/// which an entry expires.
const WARM_EVERY: Duration = Duration::from_secs(270);
const MAX_WARM: u32 = 12;

/// One pass over the log, with one marker placement and one lifetime, warmed or
/// not.
#[derive(Default)]
struct Run {
    /// The name to print in the first column, such as `aside 5m, warm`.
    name: String,
    markers: Markers,
    /// True to repeat each session's latest request before its entries expire.
    is_warm: bool,
    /// One cache per preset, for this run only.
    caches: HashMap<&'static str, CacheModel>,
    /// All input so far, including warming requests.
    usage: Usage,
    /// What this input cost; `None` once a model's price is unknown.
    cost: Option<Cost>,
    /// The day of the oldest price used here.
    prices_as_of: Option<Date>,
    /// The latest request to repeat, per session.
    latest: HashMap<Option<String>, Latest>,
    /// When to warm each session next, ordered by time: a log may have 100,000
    /// sessions, too many to search for each request.
    due: BTreeSet<(Duration, Option<String>)>,
}

/// Which markers to put on a run's requests.
#[derive(Clone, Copy, Debug, Default)]
enum Markers {
    #[default]
    AsIs,
    None,
    /// The automatic marker: the API applies it to the last block that takes
    /// one.
    Last(CacheTtl),
    /// Aside's plan, with a lifetime policy and one for shared layers.
    Plan(TtlPolicy, Ttl),
}

/// The `--cache` policies, with both shared-layer lifetimes when this makes a
/// difference.
const POLICIES: [(&str, TtlPolicy, Ttl); 5] = [
    ("5m", TtlPolicy::Short, Ttl::FiveMinutes),
    ("1h", TtlPolicy::Long, Ttl::OneHour),
    ("prefix", TtlPolicy::LongPrefix, Ttl::OneHour),
    ("auto", TtlPolicy::Checkpoints, Ttl::FiveMinutes),
    ("auto, 1h prefix", TtlPolicy::Checkpoints, Ttl::OneHour),
];

/// What a run may change in a request.
#[derive(Clone, Copy)]
enum Replaceable<'a> {
    /// The markers of a Messages API request.
    Markers(&'a Request),
    /// The body without breakpoints, and the body with what Aside's plans add for OpenAI's cache.
    Breakpoints(&'a [Body; 2]),
}

/// All that a session knows of its previous request.
#[derive(Clone, Copy, Default)]
struct Previous {
    /// True if the request does not continue it.
    is_reset: bool,
    /// How long ago it was sent, if the request continues it.
    since: Option<Duration>,
}

/// A session's latest request, to repeat when warming.
struct Latest {
    entry: Timed,
    rules: CacheRules,
    /// How many repetitions so far, less than [`MAX_WARM`].
    repeated: u32,
}

impl Latest {
    fn due(&self) -> Duration {
        self.entry.at + WARM_EVERY * (self.repeated + 1)
    }
}

/// A table row, and an object in the array that `--json` prints.
///
/// ```json
/// {"placement": "as is", "usage": {"read": 12136, "write_5m": 8178, "write_1h": 0, "uncached": 0},
///  "hit_rate": 0.597, "cost": 0.0433172, "saved_per_1000": 0.0, "saved_a_month": null}
/// ```
#[derive(Serialize)]
struct Simulated<'a> {
    placement: &'a str,
    /// All input by price class, in tokens.
    usage: Usage,
    /// How much input the cache provides, from 0 to 1, rounded to three digits.
    hit_rate: f64,
    /// What the input costs, in dollars; `null` when a model's price is
    /// unknown.
    cost: Option<Cost>,
    /// The day of the oldest price used here.
    prices_as_of: Option<Date>,
    /// Dollars saved per 1,000 requests, compared to the log's own markers;
    /// negative when this costs more. `null` when a price is unknown.
    saved_per_1000: Option<f64>,
    /// Dollars saved a month at the log's rate. Also `null` when the log covers
    /// less than a day.
    saved_a_month: Option<f64>,
}

/// Text columns to use for a log under a day, and for a longer one.
static COLUMNS: [[Column; 7]; 2] = [columns("saved per 1,000"), columns("saved a month")];

/// Returns the text columns; `plain` is input neither read nor written.
const fn columns(saved: &'static str) -> [Column; 7] {
    [
        Column::left("placement"),
        Column::right("read"),
        Column::right("written"),
        Column::right("plain"),
        Column::right("hits"),
        Column::right("cost"),
        Column::right(saved),
    ]
}

/// Prints a row for each run, starting with the unchanged log.
///
/// # Errors
/// Same as `aside cache explain`: exit code 2 when the log cannot be opened; 1
/// when it has faults and no request, or no request with a body.
pub(super) fn run(arguments: &Simulate) -> Result<(), Failure> {
    let mut runs = runs(arguments);
    let (mut first, mut last) = (None, Duration::ZERO);
    let (mut skipped, mut requests, mut unbodied) = (0, 0_usize, 0_usize);
    let mut times: HashMap<usize, Duration> = HashMap::new();
    let mut bounds: BTreeMap<&'static str, Bound> = BTreeMap::new();
    let notes = arguments.log.logs().each(&mut |item| {
        let LogItem::Request(logged) = item else {
            unbodied += usize::from(matches!(item, LogItem::Unbodied(_)));
            return Ok(());
        };
        first.get_or_insert(logged.timed.at);
        last = last.max(logged.timed.at);
        let parsed = Request::parse(logged.timed.request.as_bytes()).ok();
        let bodies = if parsed.is_some() { None } else { bodies(&logged.timed.request) };
        let request = parsed.as_ref().map(|it| Replaceable::Markers(&it.value));
        let request = request.or(bodies.as_ref().map(Replaceable::Breakpoints));
        skipped += usize::from(request.is_none());
        requests += 1;
        let [as_is, others @ ..] = &mut runs[..] else {
            return Ok(());
        };
        let sent = as_is.add(&logged.timed, &logged.rules, request, Previous::default());
        let name = logged.rules.name;
        let before = sent.parent.and_then(|it| times.get(&it.index));
        let previous = Previous {
            is_reset: sent.parent.is_none() || is_changed(&sent),
            since: before.map(|it| logged.timed.at.saturating_sub(*it)),
        };
        times.insert(logged.number - 1, logged.timed.at);
        for run in others {
            run.add(&logged.timed, &logged.rules, request, previous);
        }
        if let Some(model) = runs[0].caches.get(name) {
            // In the tokens of the rows: each predicts its requests before they are counted.
            let mut predicted = logged.timed.clone();
            predicted.usage = None;
            bounds.entry(name).or_default().add(model, &predicted);
        }
        Ok(())
    })?;
    logs::report_assumed(&notes);
    if requests == 0 && unbodied > 0 {
        let fault = anyhow!("the log has no bodies, so there are no markers to replace");
        return Err(fault.into());
    }
    let span = last.saturating_sub(first.unwrap_or_default()).as_secs_f64();
    let as_is = runs[0].cost;
    let rows: Vec<Simulated<'_>> = runs.iter().map(|run| run.row(as_is, span, requests)).collect();
    if skipped > 0 {
        let message = format!(
            "{skipped} of the requests are sent as they are: they are not for the Messages API, \
             and no breakpoint is to be added"
        );
        output::report(&kinds::LOG_MARKERS.diagnostic(message));
    }
    if arguments.log.json {
        return Ok(output::json(&rows)?);
    }
    let is_long = span >= DAY;
    let mut table = Table::new(&COLUMNS[usize::from(is_long)][..]);
    for row in &rows {
        let saved = if is_long { row.saved_a_month } else { row.saved_per_1000 };
        let cells = vec![
            row.placement.to_owned(),
            thousands(row.usage.read),
            thousands(row.usage.written()),
            thousands(row.usage.uncached),
            format!("{:.1} %", row.hit_rate * 100.0),
            money(row.cost),
            saved.map_or_else(|| "-".to_owned(), dollars),
        ];
        table.row(cells, None);
    }
    let mut text = table.render(Paint::Plain);
    let bound = figures::bound(bounds.values().map(Bound::cost));
    if let Some(bound) = bound.filter(|_| requests > 0) {
        let is_less = |it: &Run| it.is_warm && it.cost.is_some_and(|cost| cost < bound);
        let warm = if runs.iter().any(is_less) { "; to also send warm requests does" } else { "" };
        let bound = money(Some(bound));
        text += &format!("bound: {bound}, no placement of markers costs less{warm}\n");
    }
    if let Some(day) = rows[0].prices_as_of {
        text += &format!("prices of {day}\n");
    }
    Ok(output::text(&text)?)
}

/// Returns the body without breakpoints, and the body with what Aside's plans add for OpenAI's
/// cache; `None` if both are the body itself.
fn bodies(body: &Body) -> Option<[Body; 2]> {
    if body.wire() == Wire::Messages {
        return None;
    }
    let mut bytes = body.as_bytes().to_vec();
    let mut marks = Vec::new();
    for (_, _, placed, block) in body.blocks() {
        let nested = block.nested.iter().filter_map(|it| it.mark.as_ref());
        marks.extend(block.mark.iter().chain(nested).map(|it| placed.at(&it.span)));
    }
    marks.sort_unstable_by_key(|it| it.start);
    for mark in marks.into_iter().rev() {
        bytes.drain(json::removal(&bytes, mark));
    }
    let bare = Body::parse(&bytes).ok()?;
    let planned = Addition::add_all(&plan_body(body), body.as_bytes());
    let planned = Body::parse(&planned).ok()?;
    let is_other = |it: &Body| it.as_bytes() != body.as_bytes();
    (is_other(&bare) || is_other(&planned)).then_some([bare, planned])
}

/// Returns true when a request does not continue the previous prefix.
fn is_changed(sent: &Verdict) -> bool {
    let reason = sent.miss.as_ref().map(|it| it.reason);
    reason.is_some_and(|it| it != MissReason::PreviousMessageNotFound)
}

fn dollars(amount: f64) -> String {
    let sign = if amount < 0.0 { "-" } else { "" };
    format!("{sign}${:.2}", amount.abs())
}

/// Returns the runs to simulate; the first is the unchanged log, whatever
/// `--place` names.
///
/// By default: `as is`, `none`, `last` and `automatic` for both lifetimes,
/// Aside's plan under each policy, and `aside 5m, warm`. A warm run needs the
/// five-minute lifetime.
fn runs(arguments: &Simulate) -> Vec<Run> {
    let is_wanted = |it: Placement| arguments.place.is_empty() || arguments.place.contains(&it);
    let has_ttl = |ttl: CacheTtl| arguments.cache_ttl.is_none_or(|only| only == ttl);
    let mut runs = vec![Run::new("as is".to_owned(), Markers::AsIs)];
    if is_wanted(Placement::None) {
        runs.push(Run::new("none".to_owned(), Markers::None));
    }
    for (place, name) in [(Placement::Last, "last"), (Placement::Automatic, "automatic")] {
        for (ttl, long) in [(CacheTtl::FiveMinutes, "5m"), (CacheTtl::OneHour, "1h")] {
            if is_wanted(place) && has_ttl(ttl) {
                runs.push(Run::new(format!("{name} {long}"), Markers::Last(ttl)));
            }
        }
    }
    if is_wanted(Placement::Aside) {
        let is_asked = |policy| arguments.cache_ttl.is_none_or(|only| only.policy() == policy);
        for (name, policy, prefix) in POLICIES.into_iter().filter(|it| is_asked(it.1)) {
            let markers = Markers::Plan(policy, prefix);
            runs.push(Run::new(format!("aside {name}"), markers));
            if policy == TtlPolicy::Short {
                let warm = Run::new("aside 5m, warm".to_owned(), markers);
                runs.push(Run { is_warm: true, ..warm });
            }
        }
    }
    runs
}

impl Run {
    fn new(name: String, markers: Markers) -> Self {
        Self { name, markers, cost: Some(Cost::ZERO), ..Self::default() }
    }

    /// Sends a request from the log, after any warming requests due before it.
    /// Without `request`, send the log's bytes.
    fn add(
        &mut self,
        entry: &Timed,
        rules: &CacheRules,
        request: Option<Replaceable<'_>>,
        previous: Previous,
    ) -> Verdict {
        let mut entry = entry.clone();
        let marked = match (request, self.markers) {
            (None, _) | (_, Markers::AsIs) => None,
            (Some(Replaceable::Markers(request)), _) => self.marked(request, previous),
            (Some(Replaceable::Breakpoints([_, planned])), Markers::Plan(..)) => {
                Some(planned.clone())
            }
            (Some(Replaceable::Breakpoints([bare, _])), _) => Some(bare.clone()),
        };
        if let Some(marked) = marked {
            entry.request = marked;
        }
        if self.is_warm {
            self.warm(entry.at);
            let latest = Latest { entry: entry.clone(), rules: rules.clone(), repeated: 0 };
            let session = entry.session.clone();
            self.due.insert((latest.due(), session.clone()));
            if let Some(earlier) = self.latest.insert(session.clone(), latest) {
                self.due.remove(&(earlier.due(), session));
            }
        }
        self.send(&entry, rules)
    }

    /// Sends a request to the cache for its rules, and adds its input and cost
    /// to the totals.
    fn send(&mut self, entry: &Timed, rules: &CacheRules) -> Verdict {
        let new = || CacheModel::new(rules.clone());
        let verdict = self.caches.entry(rules.name).or_insert_with(new).send_remarked(entry);
        self.usage += verdict.usage;
        self.cost = self.cost.zip(verdict.cost).map(|(a, b)| a + b);
        self.prices_as_of = Date::earlier(self.prices_as_of, verdict.prices_as_of);
        verdict
    }

    /// Repeats every session's latest request each [`WARM_EVERY`], up to a
    /// time, in time order across sessions and at most [`MAX_WARM`] times. Each
    /// repetition renews the session's entries, at read price.
    fn warm(&mut self, until: Duration) {
        while self.due.first().is_some_and(|(at, _)| *at < until) {
            let Some((at, session)) = self.due.pop_first() else {
                return;
            };
            let Some(mut latest) = self.latest.remove(&session) else {
                continue;
            };
            let mut entry = latest.entry.clone();
            entry.at = at;
            self.send(&entry, &latest.rules);
            latest.repeated += 1;
            if latest.repeated < MAX_WARM {
                self.due.insert((latest.due(), session.clone()));
                self.latest.insert(session, latest);
            }
        }
    }

    /// Returns the request with this run's markers; `None` to send it as it is,
    /// or when it cannot be planned.
    ///
    /// This removes the body's own markers first.
    fn marked(&self, request: &Request, previous: Previous) -> Option<Body> {
        let mut request = request.clone();
        let off = PlanOptions { caching: Caching::Off, ..PlanOptions::default() };
        plan_request(&request, off).ok()?.apply(&mut request);
        match self.markers {
            Markers::AsIs | Markers::None => {}
            Markers::Last(ttl) => {
                request.cache_control = Some(CacheControl::lasting(match ttl {
                    CacheTtl::FiveMinutes => Ttl::FiveMinutes,
                    CacheTtl::OneHour => Ttl::OneHour,
                }));
            }
            Markers::Plan(ttl, prefix) => {
                let options = PlanOptions {
                    ttl,
                    prefix,
                    is_reset: previous.is_reset,
                    since_previous: previous.since,
                    ..PlanOptions::default()
                };
                plan_request(&request, options).ok()?.apply(&mut request);
            }
        }
        let body = serde_json::to_vec(&request).ok()?;
        Body::parse(&body).ok()
    }

    /// Returns the run's row. `span` is the time from the first to the last
    /// request, in seconds.
    fn row(&self, as_is: Option<Cost>, span: f64, requests: usize) -> Simulated<'_> {
        let saved = self.cost.zip(as_is);
        let saved = saved.map(|(cost, as_is)| as_is.dollars() - cost.dollars());
        let cents = |dollars: f64| (dollars * 100.0).round() / 100.0;
        Simulated {
            placement: &self.name,
            usage: self.usage,
            hit_rate: figures::hit_rate(self.usage),
            cost: self.cost,
            prices_as_of: self.prices_as_of,
            saved_per_1000: saved.map(|it| cents(it / requests.max(1) as f64 * 1_000.0)),
            saved_a_month: saved.filter(|_| span >= DAY).map(|it| cents(it / span * MONTH)),
        }
    }
}
