//! Limits to check before parsing. They refuse texts that no person writes and
//! that take libyaml time proportional to the square of their length.

use crate::brackets::{deeper_than, is_break};
use crate::{DocumentError, DocumentErrorKind};

const MAX_BYTES: usize = 1024 * 1024;

/// How many brackets may be open at once. With this many, 64 KB of front matter
/// take a tenth of a second.
const MAX_OPEN_BRACKETS: usize = 1000;

/// How many spaces and tabs in a row, or blank lines, to allow. libyaml buffers
/// them, and clears a buffer of their size for each gap in the text.
const MAX_WHITE_SPACE: usize = 4096;

/// Refuses a text that is too long or not [`readable`].
pub(crate) fn check(text: &str, first_line: usize) -> Result<(), DocumentError> {
    if text.len() > MAX_BYTES {
        let message = format!("found {} bytes, expected at most 1 MB of YAML", text.len());
        return Err(DocumentError::new(DocumentErrorKind::Limit, first_line, message));
    }
    readable(text)
}

/// Refuses a text that would keep its parser busy too long.
pub(crate) fn readable(text: &str) -> Result<(), DocumentError> {
    let refuse = |line, message| Err(DocumentError::new(DocumentErrorKind::Limit, line, message));
    if let Some(line) = deeper_than(MAX_OPEN_BRACKETS, text) {
        return refuse(line, "expected at most 1000 brackets that may be open at once");
    }
    if let Some(line) = white(text) {
        return refuse(line, "expected at most 4096 spaces or blank lines in a row");
    }
    // The directive sets a prefix, which is copied for each tag that uses it.
    let mut lines = text.split(is_break);
    if let Some(at) = lines.position(|line| line.starts_with("%TAG")) {
        return refuse(line_of(text, at), "%TAG is not supported");
    }
    Ok(())
}

/// Returns the first line after more than [`MAX_WHITE_SPACE`] spaces, or that
/// many blank lines.
fn white(text: &str) -> Option<usize> {
    let (mut blanks, mut breaks) = (0, 0);
    let at = text.char_indices().find(|(_, c)| {
        match c {
            ' ' | '\t' => blanks += 1,
            c if is_break(*c) => (blanks, breaks) = (0, breaks + 1),
            _ => (blanks, breaks) = (0, 0),
        }
        blanks > MAX_WHITE_SPACE || breaks > MAX_WHITE_SPACE
    });
    at.map(|(at, _)| 1 + text[..at].matches('\n').count())
}

/// Converts a line as libyaml counts it to one as the file counts it.
fn line_of(text: &str, line: usize) -> usize {
    let before = text.split_inclusive(is_break).take(line);
    1 + before.map(|line| line.matches('\n').count()).sum::<usize>()
}
