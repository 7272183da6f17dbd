//! A review's text, and the paragraph for the commit.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use crate::case::TEXTS;

use super::{ChangedRequest, DistinctChange, Lost, Review, name_of};

/// How many requests to name for a change.
const MAX_NAMES: usize = 4;

/// With more changes, each is one line.
const MAX_IN_FULL: usize = 12;

/// How many lines to print at a paragraph's start, and at its end; how many
/// files to name.
const MAX_LINES: usize = 4;

/// How many new requests to print in their readable form, however long.
const MAX_NEW: usize = 6;

/// Print more new requests while all of them together have at most this many
/// lines.
const MAX_NEW_LINES: usize = 300;

impl DistinctChange {
    /// `3 requests: first/request-1, …`.
    fn heading(&self, max_names: usize) -> String {
        let names = &self.requests[..self.requests.len().min(max_names)];
        let more = if names.len() < self.requests.len() { ", …" } else { "" };
        let counted = counted(self.requests.len(), "request");
        format!("{counted}: {}{more}", names.join(", "))
    }

    /// The same in short: a name only if there are few.
    fn short_heading(&self) -> String {
        match self.requests.len() {
            1..=MAX_NAMES => self.heading(1),
            many => counted(many, "request"),
        }
    }

    /// Returns what the change does to a request; empty if nothing is known.
    fn effects(&self) -> String {
        let mut effects = Vec::new();
        if self.tokens != 0 {
            let s = if self.tokens.abs() == 1 { "" } else { "s" };
            effects.push(format!("about {:+} token{s}", self.tokens));
        }
        if let Some(layer) = self.change.layer {
            let layer = format!("{layer:?}").to_lowercase();
            effects.push(format!("in the {layer} layer"));
        }
        if let Some(Lost { tokens, cost }) = self.lost {
            let cost = cost.map(|it| format!(", {it}")).unwrap_or_default();
            effects.push(format!("loses about {tokens} cached tokens, once per session{cost}"));
        }
        effects.join("; ")
    }

    pub(super) fn line(&self) -> String {
        if self.change.is_whole {
            let is_gone = !self.change.before.is_empty();
            return if is_gone { "gone" } else { "new" }.to_owned();
        }
        let source = match self.change.source.as_str() {
            "" => String::new(),
            source => format!("{source}: "),
        };
        format!("{source}{}", self.change.in_short())
    }
}

impl fmt::Display for DistinctChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}\n  {}", self.id, self.heading(MAX_NAMES), self.change)?;
        let effects = self.effects();
        if effects.is_empty() {
            return Ok(());
        }
        write!(f, "\n  {effects}")
    }
}

impl fmt::Display for Review {
    /// Writes every distinct change, rarest first, and the totals. When there
    /// are many, each is one line, below the requests that have it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (new, changed): (Vec<_>, Vec<_>) =
            self.changes.iter().partition(|it| it.change.is_whole);
        let mut lines = 0;
        for (index, distinct) in new.iter().enumerate() {
            let DistinctChange { id, change, .. } = distinct;
            lines += change.after.len();
            if index < MAX_NEW || lines <= MAX_NEW_LINES {
                writeln!(f, "{distinct}")?;
                continue;
            }
            write!(f, "[{id}] {}", change.place)?;
            match change.after.len() {
                0 => writeln!(f)?,
                hidden => writeln!(f, ": {}, not shown", counted(hidden, "line"))?,
            }
        }
        if changed.len() <= MAX_IN_FULL {
            for change in &changed {
                writeln!(f, "{change}")?;
            }
        } else {
            for group in groups(&changed) {
                writeln!(f, "{}", group[0].short_heading())?;
                for change in group {
                    writeln!(f, "  [{}] {}", change.id, change.line())?;
                }
                let lost = group.iter().find(|it| it.lost.is_some());
                if let Some(effects) = lost.map(|it| it.effects()) {
                    writeln!(f, "  {effects}")?;
                }
            }
        }
        for (case, fault) in &self.faults {
            writeln!(f, "{case}: {fault}")?;
        }
        for file in self.files.iter().take(MAX_LINES) {
            writeln!(f, "{} is out of date", file.path.display())?;
        }
        if let Some(more @ 1..) = self.files.len().checked_sub(MAX_LINES) {
            writeln!(f, "{} out of date", counted(more, "more file"))?;
        }
        f.write_str(&self.totals())
    }
}

/// Groups changes, sorted by their requests, that have the same requests.
fn groups<'a, 'b>(changes: &'b [&'a DistinctChange]) -> Vec<&'b [&'a DistinctChange]> {
    changes.chunk_by(|a, b| a.requests == b.requests).collect()
}

impl Review {
    /// Counts changes, requests and scenarios.
    #[must_use]
    pub fn totals(&self) -> String {
        if self.requests.is_empty() {
            let files = self.files.len() + self.faults.len();
            return format!("no request differs, {}", counted(files, "other fault"));
        }
        let cases: BTreeSet<&str> = self.requests.iter().map(|it| it.case.as_str()).collect();
        format!(
            "{} in {} of {}",
            counted(self.changes.len(), "distinct change"),
            counted(self.requests.len(), "request"),
            counted(cases.len(), "scenario"),
        )
    }

    /// Returns a paragraph for the message of the commit that accepts the
    /// changes.
    #[must_use]
    pub fn paragraph(&self) -> String {
        let mut text = format!("Golden snapshots: {}.\n", self.totals());
        let changes: Vec<_> = self.changes.iter().collect();
        let groups = groups(&changes);
        // A line in place of a single one would save nothing.
        let left_out = Some(groups.len().saturating_sub(2 * MAX_LINES)).filter(|it| *it > 1);
        let left_out = left_out.unwrap_or_default();
        for (index, group) in groups.iter().enumerate() {
            // The rarest may be faults, the most frequent are the intent.
            if left_out > 0 && (MAX_LINES..MAX_LINES + left_out).contains(&index) {
                if index == MAX_LINES {
                    let _ = writeln!(text, "- and {left_out} groups of changes between these");
                }
                continue;
            }
            let first = group[0];
            let requests = match &first.requests[..] {
                [only] => only.clone(),
                several => counted(several.len(), "request"),
            };
            let more = match group.len() {
                1 => String::new(),
                several => format!("{several} changes, the first: "),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "- {requests}: {more}{}", first.line());
        }
        text
    }

    /// Returns faults that belong to no scenario: in texts that several share.
    #[must_use]
    pub fn of_texts(&self) -> Vec<String> {
        let texts = self.files.iter().filter(|it| it.case.is_none());
        let texts = texts.map(|it| format!("{} is out of date", it.path.display()));
        let faults = self.faults.iter().filter(|it| it.0 == TEXTS);
        texts.chain(faults.map(|it| it.1.clone())).collect()
    }

    /// Returns what has to be accepted to write each request, one line each:
    /// `first/request-1 needs 4f2a91,07c3de`.
    #[must_use]
    pub fn open(&self) -> String {
        let line = |it: &ChangedRequest| {
            let ids = it.changes.join(",");
            format!("{} needs {ids}\n", name_of(&it.path))
        };
        self.requests.iter().map(line).collect()
    }

    /// Returns all differences in a scenario, one text per request.
    #[must_use]
    pub fn of_case(&self, case: &str) -> Vec<String> {
        let requests = self.requests.iter().filter(|it| it.case == case);
        let text = |request: &ChangedRequest| {
            let ids = request.changes.iter();
            let found = ids.filter_map(|id| self.changes.iter().find(|it| it.id == *id));
            let changes: Vec<String> = found.map(|it| it.change.to_string()).collect();
            let path = request.path.display();
            format!("{case}: {path} differs: {}", changes.join("\n"))
        };
        let faults = self.faults.iter().filter(|it| it.0 == case);
        let faults = faults.map(|(case, fault)| format!("{case}: {fault}"));
        let files = self.files.iter().filter(|it| it.case.as_deref() == Some(case));
        let files = files.map(|it| format!("{case}: {} is out of date", it.path.display()));
        requests.map(text).chain(faults).chain(files).collect()
    }
}

pub(super) fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
