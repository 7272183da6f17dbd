//! `aside cache simulate`.

use std::collections::HashMap;
use std::time::Duration;

use aside_cache_model::{CacheModel, CacheRules, Cost, InputTokens, RequestBytes, Timed};
use aside_cache_split::{Caching, PlanOptions, plan_request};
use aside_inspect::{money, thousands};
use aside_messages::wire::{CacheControl, Request, Ttl};
use serde::Serialize;

use super::log::{Item, each};
use crate::Failure;
use crate::arguments::{CacheTtl, Placement, Simulate};
use crate::paint::Paint;
use crate::table::{Align, Column, Table};
use crate::{kinds, output};

/// A month, in seconds.
const MONTH: f64 = 30.0 * 24.0 * 3_600.0;

/// The interval of warming requests, a little less than five minutes.
const WARM_EVERY: Duration = Duration::from_secs(270);
const MAX_WARM: u32 = 12;

/// One run over the log: markers, lifetime, warm requests.
struct Run {
    name: String,
    placement: Placement,
    ttl: CacheTtl,
    is_warm: bool,
    caches: HashMap<&'static str, CacheModel>,
    usage: InputTokens,
    cost: Option<Cost>,
    /// The latest request of each session, for warm requests.
    latest: HashMap<Option<String>, (Timed, CacheRules)>,
}

#[derive(Serialize)]
struct Simulated<'a> {
    placement: &'a str,
    usage: InputTokens,
    hit_rate: f64,
    cost: Option<Cost>,
    /// Dollars a month at the rate of the log; less than zero costs more.
    saved_a_month: Option<f64>,
}

const COLUMNS: &[Column] = &[
    Column {
        heading: "placement",
        align: Align::Left,
    },
    Column {
        heading: "read",
        align: Align::Right,
    },
    Column {
        heading: "written",
        align: Align::Right,
    },
    Column {
        heading: "plain",
        align: Align::Right,
    },
    Column {
        heading: "hits",
        align: Align::Right,
    },
    Column {
        heading: "cost",
        align: Align::Right,
    },
    Column {
        heading: "saved a month",
        align: Align::Right,
    },
];

pub(super) fn run(arguments: &Simulate) -> Result<(), Failure> {
    let mut runs = runs(arguments);
    let (mut first, mut last) = (None, Duration::ZERO);
    let mut skipped = 0;
    each(&arguments.log, &mut |item| {
        let Item::Request(logged) = item else {
            return Ok(());
        };
        first.get_or_insert(logged.timed.at);
        last = last.max(logged.timed.at);
        let parsed = Request::parse(logged.timed.request.as_bytes()).ok();
        skipped += usize::from(parsed.is_none());
        for run in &mut runs {
            run.add(
                &logged.timed,
                &logged.rules,
                parsed.as_ref().map(|it| &it.value),
            );
        }
        Ok(())
    })?;
    let span = last.saturating_sub(first.unwrap_or_default()).as_secs_f64();
    let as_is = runs[0].cost;
    let rows: Vec<Simulated<'_>> = runs.iter().map(|run| run.row(as_is, span)).collect();
    if skipped > 0 {
        let message =
            format!("{skipped} requests are not of the Messages API, and keep their markers");
        output::report(&kinds::LOG_MARKERS.diagnostic(message));
    }
    if arguments.log.json {
        let text = serde_json::to_string_pretty(&rows)? + "\n";
        output::print([text.as_bytes()])?;
        return Ok(());
    }
    let mut table = Table::new(COLUMNS);
    for row in &rows {
        let saved = row.saved_a_month;
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
    output::print([table.render(Paint::Plain).as_bytes()])?;
    Ok(())
}

/// Formats an amount that may be less than zero.
fn dollars(amount: f64) -> String {
    let sign = if amount < 0.0 { "-" } else { "" };
    format!("{sign}${:.2}", amount.abs())
}

/// The runs to simulate; the first is the unchanged log.
fn runs(arguments: &Simulate) -> Vec<Run> {
    let ttls: Vec<CacheTtl> = [CacheTtl::FiveMinutes, CacheTtl::OneHour]
        .into_iter()
        .filter(|it| arguments.cache_ttl.is_none_or(|only| only == *it))
        .collect();
    let places = [
        Placement::None,
        Placement::Last,
        Placement::Automatic,
        Placement::Aside,
    ];
    let is_wanted = |it: &Placement| arguments.place.is_empty() || arguments.place.contains(it);
    let run = |name: &str, placement, ttl: CacheTtl, is_warm| Run {
        name: name.to_owned(),
        placement,
        ttl,
        is_warm,
        caches: HashMap::new(),
        usage: InputTokens::default(),
        cost: Some(Cost::ZERO),
        latest: HashMap::new(),
    };
    let five = CacheTtl::FiveMinutes;
    let mut runs = vec![run("as is", Placement::AsIs, five, false)];
    for placement in places.into_iter().filter(is_wanted) {
        let name = match placement {
            Placement::AsIs => continue,
            Placement::None => {
                runs.push(run("none", placement, five, false));
                continue;
            }
            Placement::Last => "last",
            Placement::Automatic => "automatic",
            Placement::Aside => "aside",
        };
        for ttl in &ttls {
            let long = if *ttl == five { "5m" } else { "1h" };
            runs.push(run(&format!("{name} {long}"), placement, *ttl, false));
        }
        if ttls.contains(&five) && placement == Placement::Aside {
            runs.push(run("aside 5m, warm", placement, five, true));
        }
    }
    runs
}

impl Run {
    fn add(&mut self, entry: &Timed, rules: &CacheRules, request: Option<&Request>) {
        let mut entry = entry.clone();
        if let Some(request) = request.and_then(|it| self.marked(it)) {
            entry.request = request;
        }
        if self.is_warm {
            self.warm(entry.at);
            self.latest
                .insert(entry.session.clone(), (entry.clone(), rules.clone()));
        }
        self.send(&entry, rules);
    }

    fn send(&mut self, entry: &Timed, rules: &CacheRules) {
        let new = || CacheModel::new(rules.clone());
        let verdict = self
            .caches
            .entry(rules.name)
            .or_insert_with(new)
            .send_timed(entry);
        self.usage += verdict.usage;
        self.cost = self.cost.zip(verdict.cost).map(|(a, b)| a + b);
    }

    /// Sends warming requests for entries that would expire before the next
    /// request.
    fn warm(&mut self, until: Duration) {
        let mut due: Vec<(Duration, Timed, CacheRules)> = Vec::new();
        for (entry, rules) in self.latest.values() {
            for number in 1..=MAX_WARM {
                let at = entry.at + WARM_EVERY * number;
                if at < until {
                    due.push((at, entry.clone(), rules.clone()));
                }
            }
        }
        due.sort_by_key(|it| it.0);
        for (at, mut entry, rules) in due {
            entry.at = at;
            self.send(&entry, &rules);
            if let Some(latest) = self.latest.get_mut(&entry.session) {
                latest.0.at = latest.0.at.max(at);
            }
        }
    }

    /// The request with the markers of the run; `None` to leave it as it is.
    fn marked(&self, request: &Request) -> Option<RequestBytes> {
        if self.placement == Placement::AsIs {
            return None;
        }
        let mut request = request.clone();
        let off = PlanOptions {
            caching: Caching::Off,
            ..PlanOptions::default()
        };
        plan_request(&request, off).ok()?.apply(&mut request);
        let control = CacheControl::lasting(match self.ttl {
            CacheTtl::FiveMinutes => Ttl::FiveMinutes,
            CacheTtl::OneHour => Ttl::OneHour,
        });
        match self.placement {
            Placement::AsIs | Placement::None => {}
            // Both mark the last block that takes a marker.
            Placement::Last | Placement::Automatic => request.cache_control = Some(control),
            Placement::Aside => {
                let options = PlanOptions {
                    ttl: self.ttl.policy(),
                    ..PlanOptions::default()
                };
                plan_request(&request, options).ok()?.apply(&mut request);
            }
        }
        let body = serde_json::to_vec(&request).ok()?;
        RequestBytes::parse(&body).ok()
    }

    fn row(&self, as_is: Option<Cost>, span: f64) -> Simulated<'_> {
        let input = self.usage.input();
        let saved = self.cost.zip(as_is).filter(|_| span > 0.0);
        let round = |it: f64, places: f64| (it * places).round() / places;
        Simulated {
            placement: &self.name,
            usage: self.usage,
            hit_rate: match input {
                0 => 0.0,
                input => round(self.usage.read as f64 / input as f64, 1_000.0),
            },
            cost: self.cost,
            saved_a_month: saved.map(|(cost, as_is)| {
                round((as_is.dollars() - cost.dollars()) / span * MONTH, 100.0)
            }),
        }
    }
}
