//! A request's readable form, for reviews: its keys and the lines of its texts,
//! with their sources in the margin.
//!
//! ```text
//! == system[1] type: text
//! section intro               = section-intro
//!                             : "cache_control":{"type":"ephemeral"}
//! == messages[0] role: user
//! == messages[0].content[0] type: text
//! CLAUDE.md                   | Use tabs.
//!                             | Keep functions short.
//! conversation                | Explain the build.
//! ```
//!
//! A line of text begins with `|`, JSON with `:`, and the name of a text in the
//! folder `texts` with `=`. A source is written only if it differs from that of
//! the line above. A later request shows what it adds to the one before it, and
//! how many lines it repeats:
//!
//! ```text
//! .. 41 lines
//! + == messages[1] role: assistant
//! ```
//!
//! With pins, only lines of the pinned kinds are written.

mod texts;

use std::fmt::Write;

use aside_inspect::{BodyLine, body_lines};
use aside_messages::{Layer, one_line};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::instruction_file::{InstructionFile, Reader};
use crate::pin::Pin;
use crate::play::DescribedFile;
use crate::sourced::{CONTEXT, SourcedBody};
pub(crate) use texts::Texts;

const MARGIN_CHARS: usize = 28;

/// Stands for a `|` in a margin.
pub(crate) const ESCAPED_BAR: &str = "\\u{7c}";

#[derive(Clone, Debug)]
pub(crate) struct SourcedLine {
    pub(crate) line: BodyLine,
    /// What the margin says; empty for the envelope.
    pub(crate) label: String,
    pub(crate) layer: Option<Layer>,
    /// Whether the label is an instruction file's path.
    pub(crate) is_file: bool,
    /// Whether many sessions have the text, rather than a person having written
    /// it.
    is_ours: bool,
    /// Whether a pin selects it.
    is_pinned: bool,
}

struct Row {
    /// Equal for equal rows in different places.
    key: String,
    label: String,
    shown: String,
    is_heading: bool,
}

/// Returns a body's lines with their sources. A blank line in a text has the
/// source of the line above it.
pub(crate) fn sourced_lines(
    body: &SourcedBody,
    files: &[InstructionFile],
    pins: &[Pin],
) -> Vec<SourcedLine> {
    let mut reader = Reader::new(files);
    let mut sourced: Vec<SourcedLine> = Vec::new();
    for line in body_lines(&body.bytes) {
        if !line.continues_text() {
            reader.restart();
        }
        let origin = line.middle().map(|at| body.origin(at));
        let above = sourced.last().filter(|_| line.is_text());
        let label = match (origin, above) {
            (Some(origin), _) => origin.label(),
            (None, Some(above)) => above.label.clone(),
            (None, None) => String::new(),
        };
        let file = if line.is_text() { reader.path(&label, &line.text) } else { None };
        let layer = origin.map_or_else(|| above.and_then(|it| it.layer), |it| it.layer);
        let (label, is_ours, is_pinned) = match file {
            Some(path) => (
                one_line(path).into_owned(),
                false,
                origin.is_some() && pins.contains(&Pin::InstructionFiles),
            ),
            // Neither a heading nor a blank line has an origin, so no pin
            // selects it.
            None => (
                part_of(label, above, &line),
                origin.map_or_else(|| above.is_some_and(|it| it.is_ours), |it| it.is_ours()),
                origin.is_some_and(|it| it.is_pinned(pins)),
            ),
        };
        sourced.push(SourcedLine {
            is_file: file.is_some(),
            line,
            label,
            layer,
            is_ours,
            is_pinned,
        });
    }
    sourced
}

/// Returns a line's label: in the session's context, the one for the part whose
/// heading is above it.
fn part_of(label: String, above: Option<&SourcedLine>, line: &BodyLine) -> String {
    if label != CONTEXT || !line.is_text() {
        return label;
    }
    let above = above.map(|it| it.label.as_str());
    match (line.text.strip_prefix("# "), above) {
        (Some(name), _) => format!("{CONTEXT} {name}"),
        (None, Some(above)) if above.starts_with(CONTEXT) && !line.text.starts_with("</") => {
            above.to_owned()
        }
        _ => label,
    }
}

/// Returns the readable form of the first request, or of one that is not
/// compared with another.
pub(crate) fn whole(lines: &[SourcedLine], texts: &Texts) -> String {
    let mut page = Page::default();
    for row in rows(lines, texts) {
        page.row("", &row);
    }
    page.out
}

/// Returns what a request adds to the one before it.
pub(crate) fn added(before: &[SourcedLine], lines: &[SourcedLine], texts: &Texts) -> String {
    let (before, rows) = (rows(before, texts), rows(lines, texts));
    let keys = |rows: &[Row]| rows.iter().map(|it| it.key.clone()).collect::<Vec<_>>();
    let mut page = Page::default();
    let mut same = 0..0;
    for op in capture_diff_slices(Algorithm::Myers, &keys(&before), &keys(&rows)) {
        if let DiffOp::Equal { new_index, len, .. } = op {
            same = new_index..new_index + len;
            continue;
        }
        // A change's heading is shown, even if it is not new.
        let heading = same.clone().rev().find(|at| rows[*at].is_heading);
        page.repeated(same.start..heading.unwrap_or(same.end));
        if let Some(heading) = heading {
            page.row("  ", &rows[heading]);
            page.repeated(heading + 1..same.end);
        }
        same = 0..0;
        before[op.old_range()].iter().for_each(|row| page.row("- ", row));
        rows[op.new_range()].iter().for_each(|row| page.row("+ ", row));
    }
    page.repeated(same);
    page.out
}

/// Returns the lines of the pinned kinds, after those of skills and agents.
pub(crate) fn pinned(lines: &[SourcedLine], described: &[DescribedFile]) -> String {
    let mut page = Page::default();
    for file in described {
        page.line("", &one_line(&file.path), &format!("| {}", one_line(&file.text)));
    }
    // Blank lines have no source: those between two lines of a text belong to it.
    let (mut last, mut blank) = (None, Vec::new());
    for line in lines {
        if !line.is_pinned {
            last = last.filter(|_| line.line.is_blank());
            blank.push(line);
            continue;
        }
        blank.retain(|_| last == Some(&line.label));
        for part in blank.drain(..).chain([line]) {
            let text = &part.line.text;
            // The end of a line would not be seen, and is not kept.
            let shown = if text.ends_with(char::is_whitespace) {
                format!("|{text:?}")
            } else {
                let text = text.escape_debug().to_string();
                format!("| {}", text.replace("\\\"", "\"").replace("\\'", "'"))
            };
            page.line("", &line.label, &shown);
        }
        last = Some(&line.label);
    }
    page.out
}

/// A line of pinned texts without its margin, and its source: the last one in the margin.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PinnedLine {
    pub(crate) source: String,
    /// As in `| Use tabs.`.
    pub(crate) shown: String,
}

/// Reads pinned texts.
pub(crate) fn pinned_lines(text: &str) -> Vec<PinnedLine> {
    let mut source = String::new();
    let lines = text.lines().map(|line| {
        let (margin, shown) = split_margin(line).unwrap_or(("", line));
        match margin.trim_end() {
            "" => {}
            margin => source = margin.replace(ESCAPED_BAR, "|"),
        }
        PinnedLine { source: source.clone(), shown: shown.to_owned() }
    });
    lines.collect()
}

/// Splits a line of text before the `|` that ends its margin, which has no other.
pub(crate) fn split_margin(line: &str) -> Option<(&str, &str)> {
    line.find('|').map(|end| line.split_at(end))
}

/// Returns a body's rows. A text that has a name is one row.
fn rows(lines: &[SourcedLine], texts: &Texts) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut units = texts::units(lines).into_iter().peekable();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let mut row = Row {
            key: line.line.key(),
            label: line.label.clone(),
            shown: line.line.shown(),
            is_heading: line.line.is_heading(),
        };
        let unit = units.next_if(|unit| unit.start == at);
        at += 1;
        if let Some(unit) = unit
            && let Some(name) = texts.name(&texts::text(&lines[unit.clone()]))
        {
            row.shown = format!("= {name}");
            row.key.clone_from(&row.shown);
            at = unit.end;
        }
        rows.push(row);
    }
    rows
}

#[derive(Default)]
struct Page {
    out: String,
    /// The last line's source, which is not repeated.
    label: String,
}

impl Page {
    fn row(&mut self, sign: &str, row: &Row) {
        if row.is_heading {
            self.label.clear();
            let _ = writeln!(self.out, "{sign}{}", row.shown);
            return;
        }
        self.line(sign, &row.label, &row.shown);
    }

    fn line(&mut self, sign: &str, label: &str, shown: &str) {
        let margin = if label == self.label { "" } else { label };
        let margin = margin.replace('|', ESCAPED_BAR);
        let line = format!("{sign}{margin:<width$} {shown}", width = MARGIN_CHARS - 1);
        let _ = writeln!(self.out, "{}", line.trim_end());
        label.clone_into(&mut self.label);
    }

    fn repeated(&mut self, range: std::ops::Range<usize>) {
        self.label.clear();
        match range.len() {
            0 => {}
            1 => self.out.push_str(".. 1 line\n"),
            count => {
                let _ = writeln!(self.out, ".. {count} lines");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_source_of_a_line_is_the_last_one_in_the_margin() {
        let text = ".claude/skills/a\\u{7c}/SKILL.md | skill a: A | b.\n\
                    CLAUDE.md                   | a | b\n                            |\n                            | c\n\
                    docs/style.md               |\"d | \"\n";
        let lines = pinned_lines(text);
        let lines: Vec<_> = lines.iter().map(|it| [&*it.source, &*it.shown]).collect();
        assert_eq!(
            lines,
            [
                [".claude/skills/a|/SKILL.md", "| skill a: A | b."],
                ["CLAUDE.md", "| a | b"],
                ["CLAUDE.md", "|"],
                ["CLAUDE.md", "| c"],
                ["docs/style.md", "|\"d | \""],
            ]
        );
    }

    /// Returns a body's lines, all with the same source, so that every text can
    /// have a name.
    fn of_one_source(bytes: &[u8]) -> Vec<SourcedLine> {
        let body = SourcedBody::bare(bytes.to_vec());
        let mut lines = sourced_lines(&body, &[], &[]);
        for line in &mut lines {
            (line.label, line.is_ours) = ("section".to_owned(), true);
        }
        lines
    }

    #[test]
    fn every_changed_byte_is_a_changed_line_of_the_page() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let read = |path: &str| std::fs::read(fixtures.join(path)).unwrap();
        let (first, second) = (read("tool-use/request-1.json"), read("tool-use/request-2.json"));
        let before = of_one_source(&first);
        let both = [("a", &before[..]), ("b", &before[..])];
        let texts = Texts::find(both.into_iter());
        let page = |bytes: &[u8]| added(&before, &of_one_source(bytes), &texts);
        let pages = (whole(&before, &texts), page(&second));
        assert!(pages.0.contains("= section"), "{}", pages.0);
        assert!(pages.1.contains(".. ") && pages.1.contains("+ == messages[1]"), "{}", pages.1);
        for step in 0..40 {
            let at = step * second.len() / 40;
            for to in [b'x', b'\\', b' ', b'{'] {
                let mut changed = second.clone();
                changed[at] = to;
                assert_eq!(page(&changed) != pages.1, changed != second, "{at} as {to}");
                let at = at % first.len();
                let mut changed = first.clone();
                changed[at] = to;
                let page = whole(&of_one_source(&changed), &texts);
                assert_eq!(page != pages.0, changed != first, "{at} as {to}");
            }
        }
    }
}
