//! A text file in the form in which the Read tool returns it.

use std::fmt::Write as _;

use aside_messages::conversation::Part;
use serde::{Deserialize, Serialize};

use super::too_long::long_line;
use super::{MAX_FILE_BYTES, MAX_FILE_LINES, ReadInput};
use crate::draft::{reminder_part, simulated_call};
use crate::truncate::{FirstLines, first_lines, left_out};

/// A text file, or a range of its lines. Up to [`MAX_FILE_LINES`] lines and
/// [`MAX_FILE_BYTES`] bytes are sent, with a note on how to read the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextFile {
    /// The text from `start_line` on.
    pub content: String,
    /// On which line of the file `content` begins, counted from 1.
    #[serde(default = "first_line")]
    pub start_line: usize,
    /// How many lines the file has; 0 if left out. If `content` reaches
    /// further, the file ends with `content`.
    #[serde(default)]
    pub total_lines: usize,
}

fn first_line() -> usize {
    1
}

/// Puts the line number before each line, as the Read tool does. `first` is the
/// first line's number.
///
/// ```
/// use aside_attachments::numbered_lines;
///
/// assert_eq!(numbered_lines("a\nb", 9), "     9\ta\n    10\tb");
/// ```
#[must_use]
pub fn numbered_lines(text: &str, first: usize) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let number = first.saturating_add(index);
        // Writing to a string cannot fail.
        let _ = write!(out, "{number:>6}\t{line}");
    }
    out
}

impl TextFile {
    /// The simulated call has `offset` and `limit` only if the text is a part
    /// of the file.
    pub(super) fn into_draft(self, path: &str) -> Vec<Part> {
        let first = self.start_line.max(1);
        let cut = first_lines(&self.content, MAX_FILE_LINES, MAX_FILE_BYTES);
        let given_end = first.saturating_add(cut.total).saturating_sub(1);
        let total = match cut.total {
            0 => self.total_lines,
            _ => self.total_lines.max(given_end),
        };
        let is_range = first > 1 || given_end < total;
        let input = ReadInput {
            file_path: path,
            offset: is_range.then_some(first),
            limit: Some(cut.total).filter(|lines| is_range && *lines > 0),
        };
        let result =
            if cut.total == 0 { no_lines(first, total) } else { numbered_lines(cut.kept, first) };
        let note = note(cut, first, total).map(reminder_part);
        let more = note.into_iter().collect();
        simulated_call("Read", &input, &result, more)
    }
}

/// For a file or a range without lines.
fn no_lines(first: usize, total: usize) -> String {
    match total {
        0 => "(The file is empty.)".to_owned(),
        _ => format!("(Nothing from line {first} on: the file has {total} lines.)"),
    }
}

/// Returns a note about lines not shown, if any, and how to read them.
fn note(cut: FirstLines<'_>, first: usize, total: usize) -> Option<String> {
    let shown_end = first.saturating_add(cut.lines).saturating_sub(1);
    let is_whole = first == 1 && shown_end == total && !cut.is_cut();
    if cut.total == 0 || is_whole {
        return None;
    }
    let mut note = String::new();
    if first > 1 || shown_end < total {
        note = format!("Of the file's {total} lines, {first} to {shown_end} are shown.");
    }
    if cut.is_cut() && shown_end < total {
        let lines = left_out(total - shown_end, "line", "lines");
        let _ = write!(note, " It is too long to be shown whole: {lines}.");
    }
    if cut.cut_within > 0 {
        note.push_str(&long_line(first, cut.cut_within));
    }
    if shown_end < total {
        let next = shown_end + 1;
        let _ = write!(note, " To read on, use the Read tool with `offset` {next} and a `limit`.");
    }
    Some(note.trim_start().to_owned())
}
