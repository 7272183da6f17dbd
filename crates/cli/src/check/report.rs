use std::collections::BTreeMap;
use std::path::Path;

use aside_messages::{Checked, NotChecked, RuleLevel, Violation};
use aside_providers::WIRE_RULES;
use aside_text::one_line;
use serde::Serialize;

use crate::counter::Counter;
use crate::output;

/// The size of a write to stdout, in bytes.
const PIECE: usize = 64 * 1024;

/// So many different subjects that were not checked are listed.
const MAX_NOT_CHECKED: usize = 200;

/// The violations, printed as they are found: there may be more of them than
/// there is memory.
pub(super) struct Report {
    is_json: bool,
    denied: Vec<RuleLevel>,
    /// The text that was not printed yet.
    text: String,
    total: Total,
    levels: BTreeMap<RuleLevel, u64>,
    not_checked: BTreeMap<(&'static str, String), u64>,
    counter: Counter,
}

/// The totals of all bodies.
#[derive(Clone, Copy, Default)]
pub(super) struct Total {
    pub(super) bodies: u64,
    pub(super) violations: u64,
    /// The violations that make the command fail.
    pub(super) failures: u64,
}

/// One violation, as `--json` has it.
#[derive(Serialize)]
struct Finding<'a> {
    file: String,
    line: Option<usize>,
    rule: &'a str,
    level: RuleLevel,
    path: &'a str,
    found: &'a str,
    expected: &'a str,
    source: &'a str,
}

/// The keys after the violations in `--json`.
#[derive(Serialize)]
struct End<'a> {
    not_checked: Vec<NotCheckedLine<'a>>,
    bodies: u64,
    levels: &'a BTreeMap<RuleLevel, u64>,
}

#[derive(Serialize)]
struct NotCheckedLine<'a> {
    topic: &'a str,
    count: u64,
    reason: &'a str,
}

impl Report {
    pub(super) fn new(is_json: bool, denied: Vec<RuleLevel>) -> Self {
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
            counter: Counter::new("bodies"),
        }
    }

    /// Adds the violations of one body.
    pub(super) fn add(
        &mut self,
        file: &Path,
        line: Option<usize>,
        checked: &Checked,
    ) -> anyhow::Result<()> {
        self.total.bodies += 1;
        self.counter.add();
        for violation in &checked.violations {
            self.violation(file, line, violation)?;
        }
        for it in &checked.not_checked {
            self.skip(it.clone());
        }
        Ok(())
    }

    /// Counts a subject that was not checked.
    pub(super) fn skip(&mut self, it: NotChecked) {
        let key = (it.topic, it.reason);
        let has_room = self.not_checked.len() < MAX_NOT_CHECKED;
        if has_room || self.not_checked.contains_key(&key) {
            *self.not_checked.entry(key).or_default() += it.count as u64;
        }
    }

    fn violation(
        &mut self,
        file: &Path,
        line: Option<usize>,
        violation: &Violation,
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
        self.total.failures += u64::from(self.denied.contains(&violation.level));
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
        self.counter.clear();
        output::print([self.text.as_bytes()])?;
        Ok(self.total)
    }

    fn print_if_long(&mut self) -> anyhow::Result<()> {
        if self.text.len() > PIECE {
            self.counter.clear();
            output::print([self.text.as_bytes()])?;
            self.text.clear();
        }
        Ok(())
    }
}

fn source(violation: &Violation) -> &'static str {
    let of_wire = || WIRE_RULES.iter().find(|rule| rule.name == violation.rule);
    match violation.rule() {
        Some(rule) => rule.source,
        None => of_wire().map_or("", |rule| rule.source),
    }
}

/// Returns `FILE:line: rule: path: found, expected … (source)`; a level other
/// than `refused` is before the source.
fn text(file: &Path, line: Option<usize>, violation: &Violation) -> String {
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    let level = match violation.level {
        RuleLevel::Refused => String::new(),
        level => format!("{level}; "),
    };
    let source = source(violation);
    format!("{}{line}: {violation} ({level}{source})", file.display())
}

/// Returns the violation as it is in the list.
fn json(
    file: &Path,
    line: Option<usize>,
    violation: &Violation,
) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string_pretty(&Finding {
        file: file.to_string_lossy().into_owned(),
        line,
        rule: violation.rule,
        level: violation.level,
        path: &violation.path,
        found: &violation.found,
        expected: &violation.expected,
        source: source(violation),
    })?;
    // No newline is within a string of JSON.
    Ok(format!("    {}", json.replace('\n', "\n    ")))
}
