//! An attack's figures: attempts, broken attempts, and the first findings.
//!
//! An attempt is one judgement: of a form in a field, of a command, or of a
//! read. `tried` counts the attempts, `broken` those that gave the attacker
//! something; the rest held.

use std::fmt;

/// How many findings to print; more are only counted.
const MAX_FINDINGS: usize = 12;

#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Includes the broken ones.
    tried: usize,
    /// Includes those whose finding is not kept.
    pub(super) broken: usize,
    /// Up to `MAX_FINDINGS` different descriptions. Equal ones within a class
    /// are kept once, so that one hole does not fill the list.
    pub(super) findings: Vec<String>,
    /// Figures for the reader, such as how many exchanges there were.
    pub(super) notes: Vec<String>,
}

impl Outcome {
    /// Counts attempts that may still turn out as broken.
    pub(super) fn tried(&mut self, count: usize) {
        self.tried += count;
    }

    /// Counts one of the attempts as broken.
    ///
    /// Count the attempt itself with `tried`.
    pub(super) fn breaks(&mut self, finding: String) {
        self.broken += 1;
        self.keep(finding);
    }

    fn keep(&mut self, finding: String) {
        if self.findings.len() < MAX_FINDINGS && !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Counts one attempt, and its finding if there is one.
    pub(super) fn check(&mut self, finding: Option<String>) {
        self.tried(1);
        if let Some(finding) = finding {
            self.breaks(finding);
        }
    }

    /// Adds a figure that is printed and does not count.
    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    pub(super) fn add(&mut self, other: Self) {
        self.tried += other.tried;
        self.broken += other.broken;
        other.findings.into_iter().for_each(|it| self.keep(it));
        self.notes.extend(other.notes);
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = self.tried.saturating_sub(self.broken);
        write!(f, "{} tried, {held} held, {} broken", self.tried, self.broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_and_named() {
        let mut outcome = Outcome::default();
        outcome.tried(3);
        outcome.check(None);
        outcome.check(Some("a hole".to_owned()));
        outcome.breaks("another".to_owned());
        let mut total = Outcome::default();
        total.add(outcome);
        assert_eq!(total.to_string(), "5 tried, 3 held, 2 broken");
        assert_eq!(total.findings, ["a hole", "another"]);
    }
}
