//! Splits a file into bodies: it is one body, or JSON Lines with a body on each line.
//!
//! The first line decides. If it is a complete JSON value and another line follows, the
//! file is JSON Lines, and is read as it arrives. Otherwise the whole file is read: as
//! one body, or, if that is not valid and some line is a complete object, as JSON Lines
//! whose first line is broken. So one broken line hides no other.

use std::path::Path;

use serde::de::IgnoredAny;

use crate::Failure;
use crate::input::{Input, MAX_BODY_BYTES};

/// The function that is called for each body, with its line if the file is JSON
/// Lines.
pub(super) type Do<'a> = dyn FnMut(Option<usize>, &[u8]) -> Result<(), Failure> + 'a;

/// Calls a function with every body of a file. JSON Lines are read as they
/// arrive, and may be endless.
///
/// A file of one line is one body without a number; an empty file is one empty body,
/// which the check reports. At most two lines are held in memory, if the first is valid.
pub(super) fn each(file: &Path, body: &mut Do<'_>) -> Result<(), Failure> {
    let mut lines = Lines {
        input: Input::open(file).map_err(Failure::usage)?,
        number: 0,
    };
    let Some(first) = lines.next()? else {
        return body(None, b"");
    };
    if !is_value(&first.text) {
        return whole(lines, first, body);
    }
    let Some(second) = lines.next()? else {
        return body(None, &first.text);
    };
    body(Some(first.number), &first.text)?;
    body(Some(second.number), &second.text)?;
    while let Some(line) = lines.next()? {
        body(Some(line.number), &line.text)?;
    }
    Ok(())
}

/// Reads the rest of the file: a body in several lines, or JSON Lines of which the first
/// is broken.
fn whole(mut lines: Lines, first: Line, body: &mut Do<'_>) -> Result<(), Failure> {
    // The reported positions are those in the file.
    let blank = (first.number - 1).min(MAX_BODY_BYTES as usize);
    let mut text = vec![b'\n'; blank];
    text.extend(&first.text);
    let read = lines.input.rest(&mut text, MAX_BODY_BYTES);
    read.map_err(Failure::usage)?;
    let has_bodies = || text.split(|byte| *byte == b'\n').any(is_object);
    if is_value(&text) || !has_bodies() {
        return body(None, &text);
    }
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        if !line.trim_ascii().is_empty() {
            body(Some(number), line)?;
        }
    }
    Ok(())
}

/// The lines of a file that are not blank.
struct Lines {
    /// The rest of the file.
    input: Input,
    /// The number of the line that was read last, from 1; 0 at the start.
    number: usize,
}

/// A line that is not blank.
struct Line {
    /// Its number in the file, from 1; blank lines are counted.
    number: usize,
    /// Its bytes, with the newline.
    text: Vec<u8>,
}

impl Lines {
    /// Reads the next line that is not blank; `None` at the end. A line over
    /// `MAX_BODY_BYTES` is a usage error.
    fn next(&mut self) -> Result<Option<Line>, Failure> {
        let mut text = Vec::new();
        loop {
            text.clear();
            let read = self.input.line(&mut text, MAX_BODY_BYTES);
            if !read.map_err(Failure::usage)? {
                return Ok(None);
            }
            self.number += 1;
            if !text.trim_ascii().is_empty() {
                let number = self.number;
                return Ok(Some(Line { number, text }));
            }
        }
    }
}

/// Returns true if the text is one complete JSON value.
fn is_value(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Returns true if the line is a complete object. In a body of several lines,
/// objects are indented or followed by a comma.
fn is_object(line: &[u8]) -> bool {
    line.starts_with(b"{") && is_value(line)
}
