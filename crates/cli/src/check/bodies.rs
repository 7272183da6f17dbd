//! Splits a file into bodies: it is either one body, an array of them, or JSON
//! Lines with a body on each line.
//!
//! A single line is one body. When another follows and the first is a complete
//! JSON value, the file is JSON Lines and is read as it arrives. Otherwise this
//! reads the whole file: as one body or, when this is invalid and some line is
//! a complete object, as JSON Lines whose first line is broken. This way, one
//! broken line hides no other.

use std::path::Path;

use aside_body::wire::Keys;
use aside_json::scan::{self, Kind, Span};
use serde::de::IgnoredAny;

use crate::Failure;
use crate::input::{Input, MAX_BODY_BYTES};

/// The function to call for each body, with its line when the file is JSON
/// Lines, or its number in an array.
pub(super) type Do<'a> = dyn FnMut(Option<usize>, &[u8]) -> Result<(), Failure> + 'a;

/// Why the rest of a file is not checked.
pub(super) enum Stop {
    /// It cannot be read.
    Unreadable(anyhow::Error),
    /// The callback failed.
    Callback(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Callback(failure)
    }
}

/// Calls a function with every body in a file, as far as it can be read. JSON Lines are read as they
/// arrive, and may be endless.
///
/// A one-line file is one body without a number; an empty file is one empty
/// body, for the check to report. When the first line is valid, this holds at
/// most two lines in memory.
pub(super) fn each(file: &Path, body: &mut Do<'_>) -> Result<(), Stop> {
    let mut lines = Lines { input: Input::open(file).map_err(Stop::Unreadable)?, number: 0 };
    let Some(first) = lines.next()? else {
        return Ok(body(None, b"")?);
    };
    let second = match lines.next() {
        Ok(Some(second)) => second,
        Ok(None) => return Ok(one(&in_place([first]), body)?),
        Err(stop) => {
            if is_value(&first.text) {
                body(Some(first.number), &first.text)?;
            }
            return Err(stop);
        }
    };
    if !is_value(&first.text) {
        return whole(lines, [first, second], body);
    }
    body(Some(first.number), &first.text)?;
    body(Some(second.number), &second.text)?;
    while let Some(line) = lines.next()? {
        body(Some(line.number), &line.text)?;
    }
    Ok(())
}

/// Reads the rest of the file after these lines: a multi-line body, or JSON Lines
/// with a broken first line.
fn whole(mut lines: Lines, read: [Line; 2], body: &mut Do<'_>) -> Result<(), Stop> {
    let mut text = in_place(read);
    let read = lines.input.rest(&mut text, MAX_BODY_BYTES).map_err(Stop::Unreadable);
    if read.is_err() {
        // What is left of the last line is no body.
        text.truncate(text.iter().rposition(|it| *it == b'\n').map_or(0, |at| at + 1));
    }
    let has_bodies = || text.split(|byte| *byte == b'\n').any(is_object);
    if has_bodies() && !is_value(&text) {
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            if !line.trim_ascii().is_empty() {
                body(Some(number), line)?;
            }
        }
    } else if read.is_ok() {
        one(&text, body)?;
    }
    read
}

/// Calls the function with one JSON value: each body of an array of bodies, or the value.
fn one(text: &[u8], body: &mut Do<'_>) -> Result<(), Failure> {
    let start = scan::skip_space(text, 0);
    let elements = match scan::kind(text, start) {
        Kind::Array if is_value(text) => scan::elements(text, start).unwrap_or_default(),
        _ => Vec::new(),
    };
    let is_body = |it: &Span| Keys::read(&text[it.clone()]).has_messages() == Some(true);
    if elements.is_empty() || !elements.iter().all(is_body) {
        return body(None, text);
    }
    for (number, element) in (1..).zip(elements) {
        body(Some(number), &text[element])?;
    }
    Ok(())
}

/// Joins lines, and adds the blank ones before them: reported positions are
/// relative to the file.
fn in_place<const N: usize>(lines: [Line; N]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut before = 0;
    for line in lines {
        let blank = (line.number - before - 1).min(MAX_BODY_BYTES as usize);
        text.resize(text.len() + blank, b'\n');
        before = line.number;
        if text.is_empty() {
            text = line.text;
        } else {
            text.extend(line.text);
        }
    }
    text
}

/// The file's lines, skipping blank ones.
struct Lines {
    input: Input,
    /// The last line read, from 1; 0 at the start.
    number: usize,
}

struct Line {
    /// Its number in the file, from 1, counting blank lines.
    number: usize,
    text: Vec<u8>,
}

impl Lines {
    /// Reads the next line that is not blank; `None` at the end. When a line
    /// exceeds `MAX_BODY_BYTES`, this is an error.
    fn next(&mut self) -> Result<Option<Line>, Stop> {
        let mut text = Vec::new();
        loop {
            text.clear();
            let read = self.input.line(&mut text, MAX_BODY_BYTES);
            if !read.map_err(Stop::Unreadable)? {
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

pub(super) fn is_value(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Returns true when the line is a complete object. In a multi-line body,
/// objects are indented or a comma follows.
fn is_object(line: &[u8]) -> bool {
    line.starts_with(b"{") && is_value(line)
}
