//! `aside report`: what agents cost, and how much money cache misses lost.
//!
//! | form | output |
//! |---|---|
//! | none | the first screen: sources, bill, causes, sessions, days |
//! | `--by KIND` | one table |
//! | `--json` | one object with all groups |
//! | `--rows` | one object per request |
//! | `--html FILE` | the first screen, and a page for a browser |
//! | `--watch` | one line per request of the newest session |
//!
//! `home` finds the sessions, `crate::logs` reads them, `aside_inspect::rows`
//! turns them into rows and sums, and `text` prints the sums. Memory holds each
//! session's latest request, the groups, and eight bytes per request; for
//! `--html`, also the rows to chart.

mod home;
mod text;
mod watch;

use std::time::{Duration, SystemTime};

use anyhow::anyhow;
use aside_cache_model::CostFinding;
use aside_host::Host;
use aside_inspect::PageOptions;
use aside_inspect::rows::{GroupBy, MAX_CHART_ROWS, Row, RowBuilder, Sums, Totals, log_page};
use aside_request_logs::Agent;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use self::home::{Home, Source};
use crate::Failure;
use crate::arguments::Report;
use crate::{input, kinds, logs, output};

/// How many bytes to buffer before writing to stdout.
const PIECE: usize = 64 * 1024;

/// Reads the logs that the arguments name, or those in the home, and prints
/// them in the requested form.
///
/// # Errors
/// When a named log cannot be opened, or the page would replace a log, this is a
/// usage error; when named logs
/// have faults and no request, this fails with exit code 1. A home without
/// sessions is no error.
pub(crate) fn run(arguments: &Report) -> Result<(), Failure> {
    let host = Host::look();
    let home = Home::new(&host);
    // A variable may say where the sessions of an agent are.
    if arguments.log.is_empty() && !home.is_moved() {
        output::report_all(host.home_fault());
    }
    if arguments.watch {
        return watch::run(arguments, &home);
    }
    if let Some(file) = &arguments.html
        && (home.has(file) || input::is_log(file))
    {
        return Err(Failure::usage(anyhow!(input::replaces_input(file, "html"))));
    }
    let mut reading = Reading::new(arguments, &home);
    let mut sources = if arguments.log.is_empty() {
        home.sources(arguments.agent)
    } else {
        vec![Source::of_arguments(arguments)]
    };
    for source in &mut sources {
        reading.read(source)?;
    }
    reading.print_rows()?;
    if let Some(file) = &arguments.html
        && reading.sums.all.requests == 0
    {
        output::progress("page", &format!("no request to show, {} not written", file.display()));
    } else if let Some(file) = &arguments.html {
        let options = PageOptions::default().with_texts(arguments.text);
        output::page(file, &log_page(&reading.sums, &reading.chart, &options))?;
    }
    if arguments.rows {
        return Ok(());
    }
    let (sums, sources) = (&reading.sums, &sources);
    let is_all = arguments.since.is_none() && arguments.project.is_none();
    // A partly read session has no starting point.
    let spending =
        if is_all && arguments.agent.is_none() { reading.builder.spending() } else { Vec::new() };
    if arguments.json {
        return Ok(output::json(&Document { sources, sums, spending: &spending })?);
    }
    let text = match arguments.by {
        Some(by) if sums.all.requests > 0 => text::table(sums, by),
        _ => text::screen(sources, sums, &spending, arguments),
    };
    Ok(output::text(&text)?)
}

/// Which rows to leave out.
struct Filter<'a> {
    /// Requests before this time.
    since: Option<Duration>,
    /// Other projects: their directories lack this text.
    project: Option<String>,
    home: &'a Home,
    /// The same as Gemini CLI writes it: the SHA-256 hash of a directory.
    project_hash: Option<String>,
    /// Other agents.
    agent: Option<Agent>,
}

impl<'a> Filter<'a> {
    fn new(arguments: &Report, home: &'a Home) -> Self {
        let project = arguments.project.as_ref().map(|it| it.trim_end_matches('/').to_owned());
        let project_hash = project.as_ref().map(|it| {
            let digest = Sha256::digest(it);
            digest.iter().map(|byte| format!("{byte:02x}")).collect()
        });
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let since = arguments.since.map(|it| now.saturating_sub(it));
        Self { since, project, home, project_hash, agent: arguments.agent }
    }

    fn is_wanted(&self, row: &Row) -> bool {
        self.since.is_none_or(|it| row.at >= it) && self.has_session(row)
    }

    /// Returns true for a request of a project and an agent that are wanted.
    fn has_session(&self, row: &Row) -> bool {
        let project = row.project.as_deref().unwrap_or_default();
        let whole = || self.home.whole(project);
        let has =
            |text: &str| project.contains(text) || whole().is_some_and(|it| it.contains(text));
        (self.project.as_deref().is_none_or(has) || self.project_hash.as_deref() == Some(project))
            && (self.agent.is_none() || self.agent == row.agent)
    }
}

struct Reading<'a> {
    arguments: &'a Report,
    home: &'a Home,
    filter: Filter<'a>,
    builder: RowBuilder,
    sums: Sums,
    /// Rows to print later, for `--rows`.
    rows: String,
    /// The first rows, for the `--html` chart. One row more than the chart
    /// holds means that there are more.
    chart: Vec<Row>,
}

impl<'a> Reading<'a> {
    fn new(arguments: &'a Report, home: &'a Home) -> Self {
        Self {
            arguments,
            home,
            filter: Filter::new(arguments, home),
            builder: RowBuilder::default(),
            sums: Sums::default(),
            rows: String::new(),
            chart: Vec::new(),
        }
    }

    /// Reads a source. Faults in the home's sessions are warnings.
    fn read(&mut self, source: &mut Source) -> Result<(), Failure> {
        let Some(logs) = source.logs() else {
            return Ok(());
        };
        let is_named = !self.arguments.log.is_empty();
        let result = logs.each(&mut |item| {
            let Some(mut row) = self.builder.row(item) else {
                return Ok(());
            };
            self.home.shorten(&mut row.project);
            if !self.filter.is_wanted(&row) {
                return Ok(());
            }
            source.count(&row);
            if self.arguments.rows {
                self.rows += &serde_json::to_string(&row)?;
                self.rows.push('\n');
                if self.rows.len() > PIECE {
                    self.print_rows()?;
                }
            } else {
                self.sums.add(&row);
                if self.arguments.html.is_some() && self.chart.len() <= MAX_CHART_ROWS {
                    self.chart.push(row);
                }
            }
            Ok(())
        });
        match result {
            Ok(notes) => logs::report_assumed(&notes),
            Err(failure) if is_named => return Err(failure),
            Err(failure) => {
                output::report(&kinds::LOG_ENTRY.diagnostic(failure.diagnostic().message));
            }
        }
        Ok(())
    }

    fn print_rows(&mut self) -> anyhow::Result<()> {
        // On a terminal, even an empty text would be an empty line.
        if !self.rows.is_empty() {
            output::print([self.rows.as_bytes()])?;
            self.rows.clear();
        }
        Ok(())
    }
}

/// The object that `--json` prints. Keys are added, never changed.
///
/// ```json
/// {"sources": [{"path": "~/.codex/sessions", "agent": "codex", "format": "transcript", …}],
///  "all": {"requests": 3, …}, "unavoidable": 0.012, "model": [{"name": "gpt-5.5", …}], …}
/// ```
struct Document<'a> {
    sources: &'a [Source],
    sums: &'a Sums,
    spending: &'a [CostFinding],
}

/// A group and its totals. Their keys are in the same object.
#[derive(Serialize)]
struct Group<'a> {
    name: &'a str,
    #[serde(flatten)]
    totals: &'a Totals,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("sources", self.sources)?;
        map.serialize_entry("all", &self.sums.all)?;
        map.serialize_entry("unavoidable", &self.sums.all.unavoidable())?;
        map.serialize_entry("spending", self.spending)?;
        for by in GroupBy::ALL {
            let groups = self.sums.groups(by).into_iter();
            let groups: Vec<_> = groups.map(|(name, totals)| Group { name, totals }).collect();
            map.serialize_entry(by.as_str(), &groups)?;
        }
        map.end()
    }
}
