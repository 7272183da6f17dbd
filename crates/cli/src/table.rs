//! Text tables for stdout, such as those of `aside models` and `aside prompt`.
//!
//! ```text
//! name            n
//! conversation  103
//! ```
//!
//! The width of a column is that of its longest cell in characters, two spaces separate
//! columns, and a line has no spaces at its end.

use aside_text::one_line;

use crate::paint::{Paint, Tone};

/// Rows of text in aligned columns.
pub(crate) struct Table {
    /// The columns, from left to right.
    columns: &'static [Column],
    /// The rows in the order in which they were added.
    rows: Vec<Row>,
}

/// One column of a [`Table`].
pub(crate) struct Column {
    /// The name, which is printed once, above the cells.
    pub(crate) heading: &'static str,
    /// The side at which its cells are aligned.
    pub(crate) align: Align,
}

/// The alignment of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Names and texts.
    Left,
    /// Numbers.
    Right,
}

/// A row, with its escaped cells.
struct Row {
    /// One cell for each column.
    cells: Vec<String>,
    /// The emphasis of the whole line.
    tone: Option<Tone>,
}

impl Table {
    /// Creates a table without rows.
    pub(crate) fn new(columns: &'static [Column]) -> Self {
        Self {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row of one cell per column. Terminal control characters are escaped.
    pub(crate) fn row(&mut self, cells: Vec<String>, tone: Option<Tone>) {
        let cells = cells
            .iter()
            .map(|cell| one_line(cell).into_owned())
            .collect();
        self.rows.push(Row { cells, tone });
    }

    /// Returns the table as lines, each with its newline. A table without rows has its
    /// headings.
    pub(crate) fn render(&self, paint: Paint) -> String {
        let headings: Vec<String> = self
            .columns
            .iter()
            .map(|column| column.heading.to_owned())
            .collect();
        let width = |index: usize| {
            let cells = self.rows.iter().map(|row| &row.cells[index]);
            let all = cells.chain([&headings[index]]);
            all.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut out = self.line(&headings, &widths, paint, Some(Tone::Faint));
        for row in &self.rows {
            out.push_str(&self.line(&row.cells, &widths, paint, row.tone));
        }
        out
    }

    /// Returns a line of padded cells with its newline.
    fn line(&self, cells: &[String], widths: &[usize], paint: Paint, tone: Option<Tone>) -> String {
        let padded = cells
            .iter()
            .zip(widths)
            .zip(self.columns)
            .map(|((cell, &width), column)| match column.align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            });
        let line = padded.collect::<Vec<_>>().join("  ");
        let line = line.trim_end();
        match tone {
            Some(tone) => paint.text(tone, line) + "\n",
            None => format!("{line}\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column] = &[
        Column {
            heading: "name",
            align: Align::Left,
        },
        Column {
            heading: "n",
            align: Align::Right,
        },
    ];

    #[test]
    fn columns_have_the_minimal_width() {
        let mut table = Table::new(COLUMNS);
        table.row(vec!["a\x1b[31m".into(), "1000".into()], None);
        table.row(vec!["é".into(), String::new()], Some(Tone::Warning));
        assert_eq!(
            table.render(Paint::Plain),
            "name            n\na\\u{1b}[31m  1000\né\n"
        );
        assert_eq!(
            table.render(Paint::Coloured),
            "\x1b[2mname            n\x1b[0m\na\\u{1b}[31m  1000\n\x1b[33mé\x1b[0m\n"
        );
    }
}
