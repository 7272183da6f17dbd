//! What `aside check` prints: violations as they are found, then totals.
//!
//! ```text
//! turn.json: missing-key: max_tokens: no key, expected a whole number (platform docs)
//! not checked: request-form (1): no rule is known for the form of Bedrock's Converse
//! ```
//!
//! ```json
//! {"violations": [{"file": "turn.json", "line": null, "rule": "missing-key", "level": "refused",
//!                  "path": "max_tokens", "found": "no key", "expected": "a whole number",
//!                  "source": "anthropic (Python) 2.12.0, types"}],
//!  "not_checked": [], "wires": [{"wire": "messages", "reason": "model", "bodies": 1}],
//!  "bodies": 1, "levels": {"refused": 1}}
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use aside_body::wire::{Decision, Reason};
use aside_rules::{Checked, Finding, NotChecked, RuleLevel};
use aside_text::one_line;
use serde::Serialize;

use super::Denied;
use crate::count::count;
use crate::counter::Counter;
use crate::output;

/// How many bytes to buffer before writing to stdout.
const PIECE: usize = 64 * 1024;

/// How many subjects to list as not checked; any more are dropped.
const MAX_NOT_CHECKED: usize = 200;

/// Violations to print as they are found: there may be more than fit in memory.
pub(super) struct Report {
    is_json: bool,
    denied: Denied,
    text: String,
    total: Total,
    levels: BTreeMap<RuleLevel, u64>,
    /// How often a subject was not checked, by topic and reason.
    not_checked: BTreeMap<(&'static str, String), u64>,
    /// How many bodies use each wire, and what decided it.
    wires: BTreeMap<(&'static str, Reason), u64>,
    /// The terminal counter, removed before each write to stdout.
    counter: Counter,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Total {
    /// Bodies that were checked, without those that no rule describes.
    pub(super) bodies: u64,
    /// Violations at every level.
    pub(super) violations: u64,
    /// Violations that make the command fail.
    pub(super) failures: u64,
}

/// One finding, as `--json` prints it.
#[derive(Serialize)]
struct Line<'a> {
    /// The file name as given, with bytes that are not UTF-8 replaced.
    file: String,
    /// The line or entry, from 1; `null` when the file is one body.
    line: Option<usize>,
    #[serde(flatten)]
    finding: &'a Finding,
}

/// The keys to write after the violations in `--json`.
#[derive(Serialize)]
struct End<'a> {
    /// What was not checked, by topic.
    not_checked: Vec<NotCheckedLine<'a>>,
    /// Which wires the bodies use, and what decided it.
    wires: Vec<WireLine>,
    /// How many bodies were checked.
    bodies: u64,
    /// How many violations there are at each level; a level without any has no
    /// key.
    levels: &'a BTreeMap<RuleLevel, u64>,
}

/// What was not checked, as `--json` prints it.
#[derive(Serialize)]
struct NotCheckedLine<'a> {
    /// Such as `request-form`.
    topic: &'a str,
    /// How many bodies, or values in them.
    count: u64,
    /// Why no rule applies, as a phrase.
    reason: &'a str,
}

/// Bodies on one wire, as `--json` prints them.
#[derive(Serialize)]
struct WireLine {
    wire: &'static str,
    /// `wire` or `platform` when an option decided, else `address`, `model` or
    /// `shape`.
    reason: &'static str,
    bodies: u64,
}

impl Report {
    /// Creates an empty report. With `--json`, this opens the list of
    /// violations.
    pub(super) fn new(is_json: bool, denied: Denied) -> Self {
        let text = if is_json { "{\n  \"violations\": [" } else { "" };
        Self {
            is_json,
            denied,
            text: text.to_owned(),
            total: Total::default(),
            levels: BTreeMap::new(),
            not_checked: BTreeMap::new(),
            wires: BTreeMap::new(),
            counter: Counter::new("bodies"),
        }
    }

    /// Adds a body's violations.
    ///
    /// `line` is the line or entry when the file has several bodies.
    ///
    /// # Errors
    /// Fails when stdout cannot be written to; a closed pipe is not an error.
    pub(super) fn add(
        &mut self,
        file: &Path,
        line: Option<usize>,
        checked: &Checked,
    ) -> anyhow::Result<()> {
        self.total.bodies += 1;
        self.counter.add();
        for violation in &checked.findings {
            self.violation(file, line, violation)?;
        }
        for it in &checked.not_checked {
            self.skip(it.clone());
        }
        Ok(())
    }

    /// Counts a body. Returns true for the first one of its wire that this was decided by.
    pub(super) fn count_wire(&mut self, decision: Decision) -> bool {
        let key = (decision.wire.as_str(), decision.reason);
        let count = self.wires.entry(key).or_default();
        *count += 1;
        *count == 1
    }

    pub(super) fn skip(&mut self, it: NotChecked) {
        let key = (it.topic, it.reason);
        let has_room = self.not_checked.len() < MAX_NOT_CHECKED;
        if has_room || self.not_checked.contains_key(&key) {
            *self.not_checked.entry(key).or_default() += it.count as u64;
        }
    }

    /// Appends a violation to the output, and counts it.
    fn violation(
        &mut self,
        file: &Path,
        line: Option<usize>,
        violation: &Finding,
    ) -> anyhow::Result<()> {
        if self.is_json {
            let is_first = self.total.violations == 0;
            self.text.push_str(if is_first { "\n" } else { ",\n" });
            self.text.push_str(&json(file, line, violation)?);
        } else {
            let text = text(file, line, violation);
            self.text.push_str(&one_line(&text));
            self.text.push('\n');
        }
        self.total.violations += 1;
        self.total.failures += u64::from(self.denied.has(violation));
        *self.levels.entry(violation.level).or_default() += 1;
        self.print_if_long()
    }

    /// Prints the rest, and returns the totals for all bodies.
    pub(super) fn end(mut self) -> anyhow::Result<Total> {
        let lines: Vec<_> = self
            .not_checked
            .iter()
            .map(|((topic, reason), count)| NotCheckedLine { topic, count: *count, reason })
            .collect();
        if self.is_json {
            let is_empty = self.total.violations == 0;
            let end = serde_json::to_string_pretty(&End {
                not_checked: lines,
                wires: self
                    .wires
                    .iter()
                    .map(|((wire, reason), bodies)| WireLine {
                        wire,
                        reason: reason.as_str(),
                        bodies: *bodies,
                    })
                    .collect(),
                bodies: self.total.bodies,
                levels: &self.levels,
            })?;
            let close = if is_empty { "]," } else { "\n  ]," };
            self.text.push_str(close);
            self.text.push_str(end.strip_prefix('{').unwrap_or(&end));
            self.text.push('\n');
        } else {
            for line in lines {
                let NotCheckedLine { topic, count, reason } = line;
                let text = format!("not checked: {topic} ({count}): {reason}");
                self.text.push_str(&one_line(&text));
                self.text.push('\n');
            }
        }
        if !self.is_json && self.text.is_empty() && self.total.violations == 0 {
            self.text = match self.total.bodies {
                0 => "no body to check\n".to_owned(),
                bodies => format!("no violations in {}\n", count(bodies, "body", "bodies")),
            };
        }
        self.print()?;
        Ok(self.total)
    }

    /// Prints the output and empties the buffer when it exceeds `PIECE`.
    fn print_if_long(&mut self) -> anyhow::Result<()> {
        if self.text.len() > PIECE {
            self.print()?;
        }
        Ok(())
    }

    fn print(&mut self) -> anyhow::Result<()> {
        self.counter.clear();
        if self.is_json {
            output::print([self.text.as_bytes()])?;
        } else {
            output::lines(&self.text)?;
        }
        self.text.clear();
        Ok(())
    }
}

/// Returns `FILE:line: rule: path: found, expected … (source)`, with any level
/// other than `refused` before the source.
fn text(file: &Path, line: Option<usize>, violation: &Finding) -> String {
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    let level = match violation.level {
        RuleLevel::Refused => String::new(),
        level => format!("{level}; "),
    };
    let source = violation.source;
    format!("{}{line}: {violation} ({level}{source})", file.display())
}

/// Returns the violation as a list item, indented by four spaces.
fn json(
    file: &Path,
    line: Option<usize>,
    violation: &Finding,
) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string_pretty(&Line {
        file: file.to_string_lossy().into_owned(),
        line,
        finding: violation,
    })?;
    // JSON strings contain no raw newline.
    Ok(format!("    {}", json.replace('\n', "\n    ")))
}
