//! A file is one body, or a body a line.

use std::path::Path;

use serde::de::IgnoredAny;

use crate::Failure;
use crate::input::{Input, MAX_BODY_BYTES};

/// The function that is called for each body, with its line if the file is JSON
/// Lines.
pub(super) type Do<'a> = dyn FnMut(Option<usize>, &[u8]) -> Result<(), Failure> + 'a;

/// Calls a function with every body of a file. JSON Lines are read as they
/// arrive, and may be endless.
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

/// A body in several lines, or a body a line of which the first is broken.
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
    input: Input,
    number: usize,
}

struct Line {
    /// 1-based.
    number: usize,
    text: Vec<u8>,
}

impl Lines {
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

fn is_value(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Returns true if the line is a complete object. In a body of several lines,
/// objects are indented or followed by a comma.
fn is_object(line: &[u8]) -> bool {
    line.starts_with(b"{") && is_value(line)
}
