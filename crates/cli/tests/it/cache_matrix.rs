//! One fault × every wire × every command: `diff`, `cache explain`,
//! `cache lint`, `context`, the proxy and the server all have to report the
//! same about the same requests.
//!
//! To add a wire, write a file in `wires`; to add a fault, one in `faults`.
//! `docs/cache-matrix.md` is generated from them (`ASIDE_BLESS_DOCS=1`).

use crate::support::clean;
mod commands;
mod page;
use crate::support::server;
mod servers;
mod session;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use commands::Report;
use session::{Pieces, Session, Wire};

/// A fault, and what every command should report about it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    /// Its name, as a noun.
    fault: String,
    /// Seconds between requests.
    #[serde(default = "half_a_minute")]
    gap: u64,
    /// Which pieces it changes in every request.
    #[serde(default)]
    base: Pieces,
    /// Which pieces it changes in the second and later requests.
    changes: Vec<Pieces>,
    /// Which requests have the fault, as indices.
    #[serde(default = "all_later")]
    missed: Vec<usize>,
    /// Which commands cannot see it, and why.
    #[serde(default)]
    silent: BTreeMap<String, String>,
    /// What to expect, by wire name.
    cells: BTreeMap<String, Cell>,
}

fn half_a_minute() -> u64 {
    30
}

fn all_later() -> Vec<usize> {
    LATER.into()
}

/// What to expect from a fault on one wire.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Cell {
    /// The wire has nothing like it.
    absent: Option<String>,
    /// Why nothing is lost.
    kept: Option<String>,
    reason: Option<String>,
    cause: Option<String>,
    path: Option<String>,
    byte: Option<u64>,
    detail: Option<String>,
    /// The `cache lint` rule.
    lint: Option<String>,
    /// Which commands cannot see it on this wire, and why.
    silent: BTreeMap<String, String>,
}

/// The requests after the first, as indices.
const LATER: [usize; 3] = [1, 2, 3];

fn files<T: DeserializeOwned>(folder: &str) -> Vec<T> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cache_matrix").join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let read = serde_json::from_str(&text);
        read.map_err(|error| format!("{}: {error}", path.display())).unwrap()
    };
    paths.iter().map(read).collect()
}

impl Cell {
    /// Returns what a command has to report about a request.
    fn expected(&self) -> Option<Report> {
        Some(Report {
            reason: self.reason.clone()?,
            cause: self.cause.clone(),
            path: self.path.clone(),
            byte: self.byte,
            detail: self.detail.clone(),
            tokens: None,
        })
    }
}

/// One cell's differences, a line each.
struct Differences<'a> {
    cell: String,
    /// Which requests have the fault.
    missed: &'a [usize],
    lines: Vec<String>,
}

impl Differences<'_> {
    /// Compares a command's reports about the requests to the expected one.
    /// Token counts have to match `cache explain`.
    fn compare(&mut self, command: &str, expected: Option<&Report>, found: &[Option<Report>]) {
        for (index, found) in LATER.into_iter().zip(found) {
            let expected = expected.filter(|_| self.missed.contains(&index));
            if found.as_ref() != expected {
                let cell = &self.cell;
                self.lines.push(format!(
                    "{cell}: {command}, request {}: {found:?}, not {expected:?}",
                    index + 1
                ));
            }
        }
    }
}

fn check(fault: &Fault, wire: &Wire, cell: &Cell) -> Vec<String> {
    let session = Session::new(wire, &fault.base, &fault.changes, fault.gap);
    let cell_name = format!("{} × {}", fault.fault, wire.wire);
    let mut differences = Differences { cell: cell_name, missed: &fault.missed, lines: Vec::new() };
    let expected = cell.expected();
    let explained = commands::explain(&session);
    let tokens: Vec<Option<u64>> =
        explained.iter().map(|it| it.as_ref().and_then(|it| it.tokens)).collect();
    let without = |reports: &[Option<Report>]| -> Vec<Option<Report>> {
        let reports = reports.iter().cloned();
        reports.map(|it| it.map(|it| Report { tokens: None, ..it })).collect()
    };
    differences.compare("cache explain", expected.as_ref(), &without(&explained));
    let mut reports = vec![("context", commands::context(&session))];
    let is_silent =
        |command: &str| [&fault.silent, &cell.silent].iter().any(|it| it.contains_key(command));
    let diffs = commands::diff(&session);
    if is_silent("diff") {
        differences.compare("diff", None, &without(&diffs));
    } else {
        reports.push(("diff", diffs));
    }
    if !is_silent("proxy") {
        reports.push(("proxy", servers::proxy(&session, wire)));
    }
    reports.push(("serve", servers::serve(&session, wire)));
    for (command, found) in reports {
        differences.compare(command, expected.as_ref(), &without(&found));
        for (found, tokens) in found.iter().zip(&tokens) {
            let found = found.as_ref().and_then(|it| it.tokens);
            if found != *tokens {
                let cell = &differences.cell;
                let line = format!("{cell}: {command}: {found:?} tokens, not {tokens:?}");
                differences.lines.push(line);
            }
        }
    }
    let lint = commands::lint(&session);
    let sum: u64 = tokens.into_iter().flatten().sum();
    let rule = lint.as_ref().map(|it| &it.0);
    let is_sum = cell.reason.is_none() || lint.as_ref().is_some_and(|it| it.1 == sum);
    if rule != cell.lint.as_ref() || !is_sum {
        let expected = (&cell.lint, sum);
        let cell = &differences.cell;
        let line = format!("{cell}: cache lint: {lint:?}, not {expected:?}");
        differences.lines.push(line);
    }
    differences.lines
}

/// Checks that every command reports the same about every fault, on this row of the wires.
fn every_fault(row: usize) {
    let (wires, faults) = (files::<Wire>("wires"), files::<Fault>("faults"));
    assert_eq!(wires.len(), 5, "each wire has a test of its own");
    let wire = &wires[row];
    let mut lines = Vec::new();
    for fault in &faults {
        let cell = &fault.cells[&wire.wire];
        if cell.absent.is_none() {
            lines.extend(check(fault, wire, cell));
        }
    }
    assert!(lines.is_empty(), "\n{}", lines.join("\n"));
}

#[test]
fn every_command_reports_the_same_on_messages() {
    every_fault(0);
}

#[test]
fn every_command_reports_the_same_on_responses_with_instructions() {
    every_fault(1);
}

#[test]
fn every_command_reports_the_same_on_responses_with_a_developer_message() {
    every_fault(2);
}

#[test]
fn every_command_reports_the_same_on_chat() {
    every_fault(3);
}

#[test]
fn every_command_reports_the_same_on_gemini() {
    every_fault(4);
}

#[test]
fn the_page_is_that_of_the_data() {
    let (wires, faults) = (files::<Wire>("wires"), files::<Fault>("faults"));
    page::check(&page::page(&wires, &faults));
}
