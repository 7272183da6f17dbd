//! What no parser gets to see: texts that a person has no reason to write, and
//! that take libyaml time with the square of their length.

use crate::brackets::deeper_than;
use crate::cursor::is_break;
use crate::{Error, ErrorKind};

/// The longest text, in bytes.
const BYTES: usize = 1024 * 1024;

/// The most brackets that are open at once. `serde_yaml` reads no value that
/// nests deeper than this, and so many cost no more than other texts do.
const BRACKETS: usize = 128;

/// The most spaces and tabs in a row, and the most blank lines. libyaml keeps
/// them aside, and clears a room of their size for each gap of the text.
const WHITE: usize = 4096;

/// Refuses a text that is too long, or not [`readable`].
pub(crate) fn check(text: &str, first_line: usize) -> Result<(), Error> {
    if text.len() > BYTES {
        let message = format!("found {} bytes, expected at most 1 MB of YAML", text.len());
        return Err(Error::new(ErrorKind::Limit, first_line, message));
    }
    readable(text)
}

/// Refuses a text that is not worth its parser's time.
pub(crate) fn readable(text: &str) -> Result<(), Error> {
    let refuse = |line, message| Err(Error::new(ErrorKind::Limit, line, message));
    if let Some(line) = deeper_than(BRACKETS, text) {
        return refuse(line, "expected at most 128 brackets that are open at once");
    }
    if let Some(line) = white(text) {
        return refuse(line, "expected at most 4096 spaces or blank lines in a row");
    }
    // The directive sets a prefix, which is copied for each tag that has it.
    let mut lines = text.split(is_break);
    if let Some(at) = lines.position(|line| line.starts_with("%TAG")) {
        return refuse(line_of(text, at), "%TAG is not supported");
    }
    Ok(())
}

/// The line with more than [`WHITE`] spaces, or blank lines up to it.
fn white(text: &str) -> Option<usize> {
    let (mut blanks, mut breaks) = (0, 0);
    let at = text.char_indices().find(|(_, c)| {
        match c {
            ' ' | '\t' => blanks += 1,
            c if is_break(*c) => (blanks, breaks) = (0, breaks + 1),
            _ => (blanks, breaks) = (0, 0),
        }
        blanks > WHITE || breaks > WHITE
    });
    at.map(|(at, _)| 1 + text[..at].matches('\n').count())
}

/// The line, as files count them, of one that libyaml counts.
fn line_of(text: &str, line: usize) -> usize {
    let before = text.split_inclusive(is_break).take(line);
    1 + before.map(|line| line.matches('\n').count()).sum::<usize>()
}
