//! `aside context --file LOG`: a line per request with what changed, and the
//! last request's parts.
//!
//! ```text
//!    #        time      tokens        read     written       plain      cost  change
//!    1         +0s      ~1,232           0      ~1,232           0  $0.00616  the first
//!    2      +1m00s      ~1,605      ~1,232        ~373           0  $0.00211  messages +374
//! ```
//!
//! Figures with `~` are predicted by the cache model; figures without it are
//! recorded usage. `crate::logs` reads the log as a stream, and only the last
//! body and those that the cache model keeps stay in memory.

use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use aside_cache_model::{Body, Spending, Timed, Usage, Verdict};
use aside_inspect::rows::{Caches, LogItem, LoggedRequest, RequestOptions};
use aside_inspect::{
    LevelTokens, Report, Step, difference_lines, miss_lines, money, page, report, since, thousands,
};
use aside_text::{one_line, wrap};
use aside_user_files::open::list_inputs;
use serde::Serialize;

use super::options;
use crate::Failure;
use crate::arguments::Context;
use crate::cache::finding;
use crate::highlight;
use crate::input::{Input, MAX_BODY_BYTES};
use crate::logs::{self, Logs};
use crate::output;
use crate::paint::Paint;
use crate::screen;

pub(super) enum Opened {
    /// One body.
    Body(Body),
    /// A log, from its start; `None` for a directory or a pattern.
    Log(Option<Box<dyn Read>>),
}

/// Top-level keys in a log entry. A body has none of them.
const LOG_KEYS: [&str; 4] = ["response", "startTime", "request", "log"];

/// Opens a file and decides whether it is a body or a log.
///
/// It is a body when it is one JSON object that parses as a request and has no
/// log key. Bytes read to find out are put back before the rest, so that a log
/// may be a pipe.
pub(super) fn open(file: &Path) -> Result<Opened, Failure> {
    let is_file = |it: &PathBuf| it == file;
    let is_one_file = || {
        let listing = list_inputs(&[file.to_owned()], |_| false);
        listing.files.iter().any(is_file)
    };
    if file.is_dir() || !is_one_file() {
        return Ok(Opened::Log(None));
    }
    let mut input = Input::open(file).map_err(Failure::usage)?;
    let mut bytes = Vec::new();
    input.line(&mut bytes, MAX_BODY_BYTES).map_err(Failure::usage)?;
    let length = bytes.len();
    let is_more = input.line(&mut bytes, MAX_BODY_BYTES).map_err(Failure::usage)?;
    // A log entry is one line, unless the whole log is one JSON value.
    if is_more && is_json(&bytes[..length]) {
        return Ok(Opened::Log(Some(Box::new(Cursor::new(bytes).chain(input)))));
    }
    input.rest(&mut bytes, MAX_BODY_BYTES).map_err(Failure::usage)?;
    match body(&bytes) {
        Some(request) => Ok(Opened::Body(request)),
        None => Ok(Opened::Log(Some(Box::new(Cursor::new(bytes))))),
    }
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

/// Reads a request body; `None` for anything else, such as a log entry.
fn body(bytes: &[u8]) -> Option<Body> {
    let request = Body::parse(bytes).ok()?;
    let is_entry = LOG_KEYS.iter().any(|key| request.get(key).is_some());
    (!is_entry).then_some(request)
}

/// One request, as one `--json` line.
///
/// ```json
/// {"number": 2, "at": 60.0, "bytes": 5082, "messages": 3,
///  "usage": {"read": 1232, "write_5m": 373}, "cost": 0.0021114,
///  "session": "demo", "report": {"wire": "messages", "parts": {}}}
/// ```
#[derive(Serialize)]
struct Line<'a> {
    /// The request and its change from the previous one. Their keys are in the
    /// same object.
    #[serde(flatten)]
    step: &'a Step,
    /// The session id; `null` when the log has none.
    session: Option<&'a str>,
    /// The request's parts, down to `--depth`; without it, the request only.
    report: aside_inspect::ReportView<'a>,
}

struct Lister<'a> {
    arguments: &'a Context,
    /// Caches to predict what each request reads and writes.
    caches: Caches,
    /// When the first request was sent; printed times count from here.
    start: Option<Duration>,
    /// The tokens of each request, shown or not, by its number.
    tokens: HashMap<usize, LevelTokens>,
    /// The last request shown, whose parts to print at the end.
    last: Option<(Timed, Verdict, Option<Usage>)>,
    /// What sessions pay that no marker placement can change.
    spending: Spending,
    /// All requests, for the `--html` page; empty without it.
    steps: Vec<Step>,
    /// True once the column names are printed.
    is_heading_printed: bool,
}

/// Lists the requests in a log. An entry with only usage is not listed.
///
/// # Errors
/// `--exact`, `--model` and `--provider` with a log are usage errors, and so is a number after
/// `--only` that no request has. When a log has no request, this fails with exit code 1.
pub(super) fn run(arguments: &Context, input: Option<Box<dyn Read>>) -> Result<(), Failure> {
    if arguments.exact {
        let message = "--exact counts one request, and the file is a log";
        return Err(Failure::usage(anyhow!(message)));
    }
    let given = &arguments.next.request;
    if given.model.is_some() || given.provider.is_some() {
        let message =
            "a log has the models and the wires of its requests: no --model, no --provider";
        return Err(Failure::usage(anyhow!(message)));
    }
    let mut options = RequestOptions::default();
    options.every = arguments.every;
    let logs = Logs {
        paths: arguments.file.iter().cloned().collect(),
        format: arguments.format,
        options,
        ..Logs::default()
    };
    let mut lister = Lister {
        arguments,
        caches: Caches::default(),
        start: None,
        tokens: HashMap::new(),
        last: None,
        spending: Spending::default(),
        steps: Vec::new(),
        is_heading_printed: false,
    };
    let each: &mut logs::Each<'_> = &mut |item| match item {
        LogItem::Request(logged) => lister.request(&logged),
        // Usage without a body has no parts.
        _ => Ok(()),
    };
    logs::report_assumed(&match input {
        Some(input) => logs.each_of(input, each)?,
        None => logs.each(each)?,
    });
    lister.finish()
}

impl Lister<'_> {
    /// Sends a request through the cache for its rules, and prints its line
    /// unless `--only` or `--at` excludes it. Each request is sent, shown or
    /// not, because later verdicts depend on it.
    fn request(&mut self, logged: &LoggedRequest) -> Result<(), Failure> {
        let start = *self.start.get_or_insert(logged.timed.at);
        let request = &logged.timed.request;
        let cache = self.caches.get(&logged.rules);
        let verdict = cache.replay(&logged.timed);
        self.spending.add(cache, &logged.timed, &verdict);
        let at = logged.timed.at.saturating_sub(start);
        let step = Step::new(logged.number, at, request, &verdict, cache.continued())
            .with_recorded(logged.recorded(), Some(logged.timed.billed_model()));
        let step = if self.arguments.redact { step.without_text() } else { step };
        let is_shown = self.arguments.only.is_none_or(|it| it == logged.number);
        if is_shown && self.arguments.at.is_none() {
            if self.arguments.json {
                self.json(&step, logged, &verdict)?;
            } else {
                self.line(&step)?;
            }
        }
        self.tokens.insert(step.number, step.tokens);
        if is_shown {
            self.last = Some((logged.timed.clone(), verdict, logged.recorded()));
        }
        if self.arguments.html.is_some() {
            self.steps.push(step);
        }
        Ok(())
    }

    fn json(&self, step: &Step, logged: &LoggedRequest, verdict: &Verdict) -> Result<(), Failure> {
        let report = parts(&logged.timed, verdict, logged.recorded());
        Ok(output::compact_json(&Line {
            step,
            session: logged.timed.session.as_deref(),
            report: report.view(self.arguments.depth.unwrap_or(0)),
        })?)
    }

    /// Prints a request's line, with its miss and difference below.
    fn line(&mut self, step: &Step) -> Result<(), Failure> {
        let mut out = String::new();
        if !self.is_heading_printed {
            self.is_heading_printed = true;
            out.push_str(
                "   #       time    tokens      read   written     plain      cost  change\n",
            );
        }
        let usage = step.recorded.unwrap_or(step.usage);
        let mark = if step.recorded.is_some() { "" } else { "~" };
        let figure = |tokens: u64| match tokens {
            0 => "0".to_owned(),
            tokens => format!("{mark}{}", thousands(tokens)),
        };
        let figures = format!(
            "{:>4} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9}  ",
            step.number,
            since(Duration::ZERO, step.at),
            figure(usage.input()),
            figure(usage.read),
            figure(usage.written()),
            figure(usage.uncached),
            money(step.cost),
        );
        let below = " ".repeat(figures.len());
        let line = figures + &self.change(step);
        out.push_str(&wrap(&line, screen::width(), &below));
        out.push('\n');
        let missed = step.miss.iter().flat_map(|miss| miss_lines(miss, true));
        let changed = step.difference.iter();
        let changed = changed.flat_map(|difference| difference_lines(difference, true));
        for line in missed.chain(changed) {
            out.push_str(&format!("      {}\n", one_line(&line)));
        }
        Ok(output::text(&highlight::miss(&out, Paint::of_stdout()))?)
    }

    /// Returns how each level changed, in tokens: `system -12, messages +374`,
    /// or `the same`. If the request continues another one than the one before it in the log, that
    /// one is named. The first request, and one that begins a conversation, are named as such.
    fn change(&self, step: &Step) -> String {
        let continued = step.continues.and_then(|it| Some((it, self.tokens.get(&it)?)));
        let Some((number, before)) = continued else {
            let name = if self.tokens.is_empty() { "the first" } else { "another conversation" };
            return name.to_owned();
        };
        let levels = [
            ("tools", before.tools, step.tokens.tools),
            ("system", before.system, step.tokens.system),
            ("messages", before.messages, step.tokens.messages),
        ];
        let changed = levels.into_iter().filter(|(_, before, after)| before != after);
        let changes = changed.map(|(name, before, after)| {
            let sign = if after >= before { '+' } else { '-' };
            format!("{name} {sign}{}", thousands(after.abs_diff(before)))
        });
        let changes: Vec<String> = changes.collect();
        let changes = if changes.is_empty() { "the same".to_owned() } else { changes.join(", ") };
        if number + 1 == step.number {
            return changes;
        }
        format!("{changes} (since request {number})")
    }

    /// Prints the last shown request's parts, its place for `--at`, or the page
    /// for `--html`.
    fn finish(self) -> Result<(), Failure> {
        let Some((timed, verdict, recorded)) = self.last else {
            let message = match self.arguments.only {
                Some(number) => {
                    let message = format!("the log has no request {number}");
                    return Err(Failure::usage(anyhow!(message)));
                }
                None if self.arguments.html.is_some() => {
                    "the log has no request with a body: aside report --html needs none".to_owned()
                }
                None => "the log has no request with a body".to_owned(),
            };
            return Err(anyhow!(message).into());
        };
        let (request, last) = (&timed.request, parts(&timed, &verdict, recorded));
        if let Some(place) = &self.arguments.at {
            return super::at::run(place, request, &last, self.arguments.json);
        }
        if let Some(file) = &self.arguments.html {
            let options = aside_inspect::PageOptions::default().with_texts(!self.arguments.redact);
            output::page(file, &page(&last, request, &self.steps, &options))?;
        }
        if !self.arguments.json {
            let mut text = format!("\n{}", last.to_text(&options(self.arguments)));
            if self.arguments.only.is_none() {
                text += &spent(self.spending);
            }
            output::text(&text)?;
        }
        Ok(())
    }
}

/// Returns a request's parts, at the prices of what was billed for it.
fn parts(timed: &Timed, verdict: &Verdict, recorded: Option<Usage>) -> Report {
    report(&timed.request, None, Some(verdict)).with_recorded(recorded, timed.billed_model())
}

/// Returns what the log pays that no marker placement can change, one line per
/// finding.
fn spent(spending: Spending) -> String {
    let findings = spending.finish();
    let lines = findings.iter().map(|it| format!("  {}\n", finding(it)));
    let lines: String = lines.collect();
    if lines.is_empty() {
        return lines;
    }
    format!("\nwhat this log pays apart from its markers\n{lines}")
}
