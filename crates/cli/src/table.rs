//! Text tables for stdout, such as `aside models` and `aside prompt` print.
//!
//! ```text
//! name            n
//! conversation  103
//! ```
//!
//! Two spaces separate columns, and lines have no trailing spaces. When a table
//! is wider than the screen, nothing is cut: a long name in the first column
//! gets its own line, and a text in the last one continues below.

use std::borrow::Cow;

use aside_text::{columns, one_line, wrap};

use crate::paint::{Paint, Tone};
use crate::screen;

/// Rows of text in aligned columns.
pub(crate) struct Table {
    columns: Cow<'static, [Column]>,
    /// Rows, in the order they were added.
    rows: Vec<Row>,
}

/// One column of a [`Table`].
#[derive(Clone)]
pub(crate) struct Column {
    /// The name to print once, above the cells.
    pub(crate) heading: Cow<'static, str>,
    /// Which side to align its cells to.
    pub(crate) align: Align,
}

impl Column {
    /// Creates a column for names or texts.
    pub(crate) const fn left(heading: &'static str) -> Self {
        Self { heading: Cow::Borrowed(heading), align: Align::Left }
    }

    /// Creates a column for numbers.
    pub(crate) const fn right(heading: &'static str) -> Self {
        Self { heading: Cow::Borrowed(heading), align: Align::Right }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A row of escaped cells.
struct Row {
    /// One cell per column.
    cells: Vec<String>,
    /// How to emphasize the whole row.
    tone: Option<Tone>,
}

/// The narrowest first column in a table that does not fit.
const MIN_NAME_COLUMNS: usize = 12;

/// The narrowest last column to break texts in. With less room they go below
/// their row.
const MIN_TEXT_COLUMNS: usize = 24;

/// How far to indent a text below its row.
const TEXT_INDENT: usize = 4;

impl Table {
    /// Creates a table without rows.
    pub(crate) fn new(columns: impl Into<Cow<'static, [Column]>>) -> Self {
        Self { columns: columns.into(), rows: Vec::new() }
    }

    /// Adds a row with one cell per column. Escapes terminal control
    /// characters.
    pub(crate) fn row(&mut self, cells: Vec<String>, tone: Option<Tone>) {
        let cells = cells.iter().map(|cell| one_line(cell).into_owned()).collect();
        self.rows.push(Row { cells, tone });
    }

    /// Returns the table as lines that fit the screen, each with its newline. A
    /// table without rows still has headings.
    pub(crate) fn render(&self, paint: Paint) -> String {
        self.render_in(screen::width(), paint)
    }

    fn render_in(&self, width: usize, paint: Paint) -> String {
        let headings = self.columns.iter().map(|column| column.heading.to_string());
        let mut headings = Row { cells: headings.collect(), tone: Some(Tone::Faint) };
        let widths = self.widths(&headings, width);
        if let (Some(0), Some(heading)) = (widths.last(), headings.cells.last_mut()) {
            // Its texts are below their rows.
            heading.clear();
        }
        let rows = [&headings].into_iter().chain(&self.rows);
        let lines = rows.flat_map(|row| {
            let lines = self.lines(&row.cells, &widths, width).into_iter();
            lines.map(|line| match row.tone {
                Some(tone) => paint.text(tone, &line) + "\n",
                None => line + "\n",
            })
        });
        lines.collect()
    }

    /// Returns each column's width; 0 for the last one when its texts go below
    /// their rows.
    fn widths(&self, headings: &Row, width: usize) -> Vec<usize> {
        let longest = |index: usize| {
            let rows = self.rows.iter().chain([headings]);
            rows.map(|row| columns(&row.cells[index])).max()
        };
        let mut widths: Vec<usize> =
            (0..self.columns.len()).map(|index| longest(index).unwrap_or_default()).collect();
        let excess = |widths: &[usize]| {
            let shown = widths.iter().filter(|columns| **columns > 0).count();
            (widths.iter().sum::<usize>() + 2 * shown.saturating_sub(1)).saturating_sub(width)
        };
        let is_left = self.columns.last().map(|column| column.align) == Some(Align::Left);
        if let [_, .., last] = widths[..]
            && is_left
            && last > MIN_TEXT_COLUMNS
        {
            let room = last.saturating_sub(excess(&widths));
            let index = widths.len() - 1;
            widths[index] = if room < MIN_TEXT_COLUMNS { 0 } else { room };
        }
        if let Some(first) = widths.first().copied() {
            let room = first.saturating_sub(excess(&widths));
            widths[0] = room.max(first.min(MIN_NAME_COLUMNS));
        }
        widths
    }

    /// Returns a row's lines, without their newlines.
    fn lines(&self, cells: &[String], widths: &[usize], width: usize) -> Vec<String> {
        let (Some((text, cells)), Some((&room, widths))) =
            (cells.split_last(), widths.split_last())
        else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        let mut line = String::new();
        for (index, (mut cell, &room)) in cells.iter().zip(widths).enumerate() {
            let nothing = String::new();
            if index == 0 && columns(cell) > room {
                lines.push(cell.clone());
                cell = &nothing;
            }
            push(&mut line, cell, room, self.columns[index].align);
        }
        if self.columns[cells.len()].align == Align::Right {
            push(&mut line, text, room, Align::Right);
            lines.push(line.trim_end().to_owned());
            return lines;
        }
        let indent = if room == 0 { TEXT_INDENT } else { columns(&line) };
        let text = wrap(text, width.saturating_sub(indent), "");
        let mut texts = text.lines();
        if room > 0 {
            line.push_str(texts.next().unwrap_or_default());
        }
        lines.push(line.trim_end().to_owned());
        lines.extend(texts.map(|text| " ".repeat(indent) + text));
        lines
    }
}

fn push(line: &mut String, cell: &str, room: usize, align: Align) {
    let padding = " ".repeat(room.saturating_sub(columns(cell)));
    match align {
        Align::Left => line.extend([cell, &padding, "  "]),
        Align::Right => line.extend([&padding, cell, "  "]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column] = &[Column::left("name"), Column::right("n"), Column::left("note")];

    fn table(rows: &[[&str; 3]]) -> Table {
        let mut table = Table::new(COLUMNS);
        for row in rows {
            table.row(row.map(str::to_owned).into(), None);
        }
        table
    }

    #[test]
    fn columns_have_the_minimal_width() {
        let mut table = Table::new(&COLUMNS[..2]);
        table.row(vec!["a\x1b[31m".into(), "1000".into()], None);
        table.row(vec!["東京".into(), String::new()], Some(Tone::Warning));
        assert_eq!(
            table.render_in(80, Paint::Plain),
            "name            n\na\\u{1b}[31m  1000\n東京\n"
        );
        assert_eq!(
            table.render_in(80, Paint::Coloured),
            "\x1b[2mname            n\x1b[0m\na\\u{1b}[31m  1000\n\x1b[33m東京\x1b[0m\n"
        );
    }

    #[test]
    fn a_wide_table_stays_whole() {
        let table = table(&[
            ["a", "1", "empty; filled by a setting of the project"],
            ["a-name-that-is-longer", "20", "short"],
        ]);
        let check = |width, expected: &str| {
            assert_eq!(table.render_in(width, Paint::Plain), expected);
        };
        check(
            55,
            "name                    n  note\n\
             a                       1  empty; filled by a setting\n                           \
             of the project\n\
             a-name-that-is-longer  20  short\n",
        );
        check(
            40,
            "name                    n\n\
             a                       1\n    empty; filled by a setting of the\n    project\n\
             a-name-that-is-longer  20\n    short\n",
        );
        check(
            20,
            "name               n\n\
             a                  1\n    empty; filled by\n    a setting of the\n    project\n\
             a-name-that-is-longer\n                  20\n    short\n",
        );
    }
}
