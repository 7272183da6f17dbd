//! A change's review as Markdown, for a comment on a pull request.

use std::fmt::Write;

use aside_inspect::{money, thousands};
use aside_messages::one_line;

use super::print::counted;
use super::{DistinctChange, RequestFigures, RequestReview, TeamReview, is_marker};

/// A comment on GitHub has at most 65,536 characters.
const MAX_BYTES: usize = 60_000;

/// How many lines of a change's side to show.
const MAX_LINES: usize = 40;

const MAX_LINE_CHARS: usize = 300;

/// How many names to put into a sentence.
const MAX_NAMES: usize = 8;

/// How many rows, and items in a list, to show.
const MAX_ITEMS: usize = 50;

impl TeamReview {
    /// Returns the review as Markdown. Repository text is in code only, and ends no block.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::from("### What the model sees\n\n");
        let mut unchanged = &self.unchanged[..];
        if self.requests.is_empty() {
            let _ = writeln!(
                out,
                "No agent sees a change in {}.",
                counted(unchanged.len(), "scenario")
            );
            unchanged = &[];
        } else {
            out.push_str(
                "| request | agent | directory | tokens | first request | 1,000 more, cached | \
                 shared prefixes that end |\n|---|---|---|---|---|---|---|\n",
            );
            out.extend(self.requests.iter().take(MAX_ITEMS).map(row));
        }
        let names = |list: &[String]| format!(": {}.", named(list, MAX_NAMES, ", "));
        let items = |list: &[String]| format!(":\n\n- {}", named(list, MAX_ITEMS, "\n- "));
        for (heading, list, text) in [
            ("More requests", &self.more()[..], &names as &dyn Fn(&[String]) -> String),
            ("New findings", &self.findings, &items),
            ("Not comparable", &self.notes, &items),
            ("Removed scenarios", &self.removed, &names),
            ("New files without a scenario", &self.without_scenario, &names),
            ("No change", unchanged, &names),
        ] {
            if !list.is_empty() {
                let _ = writeln!(out, "\n**{heading}**{}", text(list));
            }
        }
        // The changes come last: as many as a comment has room for.
        let changes = &self.changes.changes;
        for (index, change) in changes.iter().enumerate() {
            let text = section(change);
            if out.len() + text.len() > MAX_BYTES {
                let more = changes.len() - index;
                let _ = writeln!(out, "\n… and {more} more: run `aside verify --review BASE`");
                break;
            }
            out.push_str(&text);
        }
        out
    }

    /// Returns the requests for which the table has no room, by name.
    fn more(&self) -> Vec<String> {
        let more = self.requests.iter().skip(MAX_ITEMS);
        more.map(|it| it.request.clone()).collect()
    }
}

fn row(request: &RequestReview) -> String {
    let (before, after) = (request.before, request.after);
    let both = |figure: &dyn Fn(RequestFigures) -> String| match (before, after) {
        (Some(before), Some(after)) if figure(before) == figure(after) => figure(after),
        (Some(before), Some(after)) => format!("{} → {}", figure(before), figure(after)),
        (None, Some(after)) => format!("new: {}", figure(after)),
        (Some(before), None) => format!("gone: {}", figure(before)),
        (None, None) => "-".to_owned(),
    };
    let added = match (before, after) {
        (Some(before), Some(after)) => {
            format!(" ({:+})", i128::from(after.tokens) - i128::from(before.tokens))
        }
        _ => String::new(),
    };
    let ends: Vec<_> = request.ends.iter().map(|it| format!("{it:?}").to_lowercase()).collect();
    let ends = match &request.lost {
        _ if ends.is_empty() => "-".to_owned(),
        Some(lost) => {
            let (tokens, cost) = (thousands(lost.tokens), money(lost.cost));
            format!("{}: {tokens} tokens, {cost} once", ends.join(", "))
        }
        None => ends.join(", "),
    };
    format!(
        "| {} | {} | {} | {}{added} | {} | {} | {ends} |\n",
        code(&request.request),
        request.agent,
        code(&request.directory),
        both(&|it| thousands(it.tokens)),
        both(&|it| money(it.first)),
        both(&|it| money(it.thousand_more)),
    )
}

fn section(change: &DistinctChange) -> String {
    let tokens = || format!("about {:+} tokens", change.tokens);
    let (subject, effect) = match (&change.change, &change.requests[..]) {
        (whole, [only]) if whole.is_whole => (only, change.line()),
        (it, _) if it.source.is_empty() => (&it.path, tokens()),
        (it, _) => (&it.source, tokens()),
    };
    let mut out = format!("\n#### {}: {effect}\n\n", code(subject));
    // Unless nothing else changed.
    let mut both = change.change.before.iter().chain(&change.change.after);
    let is_text = both.any(|it| !is_frame(it));
    let is_hidden = |line: &&String| is_text && is_frame(line);
    if !change.change.is_whole {
        let _ = writeln!(out, "In {}.", named(&change.requests, MAX_NAMES, ", "));
    }
    if !change.change.note.is_empty() {
        let _ = writeln!(out, "{}.", code(&change.change.note));
    }
    out.push_str("\n```diff\n");
    for (sign, lines) in [('-', &change.change.before), ('+', &change.change.after)] {
        // A sign before each line: no line of a file closes the block.
        let lines: Vec<_> = lines.iter().filter(|it| !is_hidden(it)).collect();
        for line in lines.iter().take(MAX_LINES) {
            let text = line.strip_prefix("| ").unwrap_or(line);
            let text: String = one_line(text).chars().take(MAX_LINE_CHARS).collect();
            let _ = writeln!(out, "{sign} {text}");
        }
        if lines.len() > MAX_LINES {
            let _ = writeln!(out, "{sign} … {} more lines", lines.len() - MAX_LINES);
        }
    }
    out.push_str("```\n");
    out
}

/// Returns true if a line is around texts: an object's heading, or a cache marker.
fn is_frame(line: &str) -> bool {
    line.starts_with("== ") || is_marker(line)
}

/// Returns texts as code, only the first if there are many.
fn named(texts: &[String], max: usize, between: &str) -> String {
    let first: Vec<_> = texts.iter().take(max).map(|it| code(it)).collect();
    match texts.len() - first.len() {
        0 => first.join(between),
        more => format!("{}{between}{more} more", first.join(between)),
    }
}

/// Returns a text as code within a line, also in a table row.
fn code(text: &str) -> String {
    let text = one_line(text).replace('`', "'").replace('|', "\\|");
    let text: String = text.chars().take(MAX_LINE_CHARS).collect();
    match text.trim() {
        "" => "`-`".to_owned(),
        text => format!("`{text}`"),
    }
}
