//! The output of `aside check`: violations as they are found, then totals.
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

/// The length of the output from which it is written to stdout, in bytes.
const PIECE: usize = 64 * 1024;

/// The number of different subjects that are listed as not checked; further ones are
/// dropped.
const MAX_NOT_CHECKED: usize = 200;

/// The violations, printed as they are found: there may be more of them than
/// there is memory.
pub(super) struct Report {
    /// The form: one JSON object, or a line per violation.
    is_json: bool,
    /// The findings that count as failures.
    denied: Denied,
    /// The text that was not printed yet.
    text: String,
    /// The totals so far.
    total: Total,
    /// The number of violations of each level.
    levels: BTreeMap<RuleLevel, u64>,
    /// The number of times that a subject was not checked, by topic and reason.
    not_checked: BTreeMap<(&'static str, String), u64>,
    /// The number of bodies by their wire and what decided it.
    wires: BTreeMap<(&'static str, Reason), u64>,
    /// The counter on the terminal, removed before each write to stdout.
    counter: Counter,
}

/// The totals of all bodies.
#[derive(Clone, Copy, Default)]
pub(super) struct Total {
    /// Bodies that were checked; those that no rule describes are not counted.
    pub(super) bodies: u64,
    /// Violations of every level.
    pub(super) violations: u64,
    /// The violations that make the command fail.
    pub(super) failures: u64,
}

/// One finding, as `--json` has it.
#[derive(Serialize)]
struct Line<'a> {
    /// The name of the file as given; bytes that are not UTF-8 are replaced.
    file: String,
    /// The line or entry, from 1; `null` if the file is one body.
    line: Option<usize>,
    #[serde(flatten)]
    finding: &'a Finding,
}

/// The keys after the violations in `--json`.
#[derive(Serialize)]
struct End<'a> {
    /// The subjects that were not checked, by topic.
    not_checked: Vec<NotCheckedLine<'a>>,
    /// The wires of the bodies, and what decided them.
    wires: Vec<WireLine>,
    /// The number of bodies that were checked.
    bodies: u64,
    /// The number of violations by level; a level without any has no key.
    levels: &'a BTreeMap<RuleLevel, u64>,
}

/// A subject that was not checked, as `--json` has it.
#[derive(Serialize)]
struct NotCheckedLine<'a> {
    /// Such as `request-form`.
    topic: &'a str,
    /// The number of bodies, or of values in them.
    count: u64,
    /// Why no rule applies, as a phrase.
    reason: &'a str,
}

/// The bodies of one wire, as `--json` has them.
#[derive(Serialize)]
struct WireLine {
    /// Such as `messages`.
    wire: &'static str,
    /// `wire` or `platform` for the options, else `address`, `model` or `shape`.
    reason: &'static str,
    /// The number of bodies.
    bodies: u64,
}

impl Report {
    /// Creates an empty report. The list of violations of `--json` is opened at once.
    pub(super) fn new(is_json: bool, denied: Denied) -> Self {
        let text = if is_json {
            "{\n  \"violations\": ["
        } else {
            ""
        };
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

    /// Adds the violations of one body.
    ///
    /// `line` is the line or entry of the file, if it has several bodies.
    ///
    /// # Errors
    /// Fails if stdout cannot be written to; a closed pipe is not an error.
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

    /// Counts the wire of a body.
    pub(super) fn count_wire(&mut self, decision: Decision) {
        let key = (decision.wire.as_str(), decision.reason);
        *self.wires.entry(key).or_default() += 1;
    }

    /// Counts a subject that was not checked.
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

    /// Prints the rest, and returns the totals of all bodies.
    pub(super) fn end(mut self) -> anyhow::Result<Total> {
        let lines: Vec<_> = self
            .not_checked
            .iter()
            .map(|((topic, reason), count)| NotCheckedLine {
                topic,
                count: *count,
                reason,
            })
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
                let NotCheckedLine {
                    topic,
                    count,
                    reason,
                } = line;
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

    /// Prints the output if it is longer than `PIECE`, and empties the buffer.
    fn print_if_long(&mut self) -> anyhow::Result<()> {
        if self.text.len() > PIECE {
            self.print()?;
        }
        Ok(())
    }

    /// Prints the output, and empties the buffer.
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

/// Returns `FILE:line: rule: path: found, expected … (source)`; a level other
/// than `refused` is before the source.
fn text(file: &Path, line: Option<usize>, violation: &Finding) -> String {
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    let level = match violation.level {
        RuleLevel::Refused => String::new(),
        level => format!("{level}; "),
    };
    let source = violation.source;
    format!("{}{line}: {violation} ({level}{source})", file.display())
}

/// Returns the violation as an item of the list, indented by four spaces.
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
    // No newline is within a string of JSON.
    Ok(format!("    {}", json.replace('\n', "\n    ")))
}
