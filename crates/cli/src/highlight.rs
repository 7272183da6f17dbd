//! Colours for a cache miss report: its cause, and which characters changed.
//!
//! The lines come from `aside_inspect::miss_line` and
//! `aside_inspect::difference_lines`. They read the same without colours.

use aside_text::columns;

use crate::paint::{Paint, Tone};

pub(crate) fn miss(text: &str, paint: Paint) -> String {
    if paint == Paint::Plain {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 32);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let marks = lines.peek().copied().and_then(marks).or_else(|| marks(line));
        let (from, to) = match marks {
            Some(marks) => marks,
            None if line.trim_start().starts_with("miss: ") => (0, usize::MAX),
            None => (0, 0),
        };
        let (start, rest) = line.split_at(index_of(line, from));
        let (changed, end) = rest.split_at(index_of(line, to).saturating_sub(start.len()));
        out.push_str(start);
        if !changed.is_empty() {
            out.push_str(&paint.text(Tone::Fault, changed));
        }
        out.push_str(end);
        out.push('\n');
    }
    out
}

/// Colours the cache miss in a request's line, such as one from `aside proxy`.
pub(crate) fn note(line: &str, paint: Paint) -> String {
    let Some((start, miss)) = line.split_once("; miss ") else {
        return line.to_owned();
    };
    let (miss, end) = miss.split_at(miss.find("; ").unwrap_or(miss.len()));
    let miss = paint.text(Tone::Fault, &format!("miss {miss}"));
    format!("{start}; {miss}{end}")
}

/// Returns the first column marked with `^`, and the one after the last; `None`
/// for a line of text.
fn marks(line: &str) -> Option<(usize, usize)> {
    let carets = line.trim_start_matches(' ');
    let is_marks = !carets.is_empty() && carets.bytes().all(|byte| byte == b'^');
    is_marks.then(|| (line.len() - carets.len(), line.len()))
}

/// Returns the index for the character at a column; a shorter line's length.
fn index_of(line: &str, column: usize) -> usize {
    let mut at = 0;
    for (index, c) in line.char_indices() {
        if at >= column {
            return index;
        }
        at += columns(c.encode_utf8(&mut [0; 4]));
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_is_coloured_in_the_line_of_its_request() {
        let line = "3 a /v1/messages 200; miss system_changed at system[0]; unrecorded";
        assert_eq!(note(line, Paint::Plain), line);
        assert_eq!(
            note(line, Paint::Coloured),
            "3 a /v1/messages 200; \x1b[31mmiss system_changed at system[0]\x1b[0m; unrecorded"
        );
    }

    #[test]
    fn the_cause_and_the_change_are_coloured() {
        let text = "broken\nmiss: expired\nbefore: 東 10:53\nafter : 東 10:56\n               ^\n";
        assert_eq!(miss(text, Paint::Plain), text);
        assert_eq!(
            miss(text, Paint::Coloured),
            "broken\n\x1b[31mmiss: expired\x1b[0m\nbefore: 東 10:53\n\
             after : 東 10:5\x1b[31m6\x1b[0m\n               \x1b[31m^\x1b[0m\n"
        );
    }
}
