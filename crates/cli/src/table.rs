use aside_text::one_line;

use crate::paint::{Paint, Tone};

/// Rows of text in aligned columns.
pub(crate) struct Table {
    columns: &'static [Column],
    rows: Vec<Row>,
}

/// One column of a [`Table`].
pub(crate) struct Column {
    pub(crate) heading: &'static str,
    pub(crate) align: Align,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

struct Row {
    cells: Vec<String>,
    tone: Option<Tone>,
}

impl Table {
    pub(crate) fn new(columns: &'static [Column]) -> Self {
        Self {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row. Terminal control characters are escaped.
    pub(crate) fn row(&mut self, cells: Vec<String>, tone: Option<Tone>) {
        let cells = cells
            .iter()
            .map(|cell| one_line(cell).into_owned())
            .collect();
        self.rows.push(Row { cells, tone });
    }

    /// The table as lines, each with its newline.
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
