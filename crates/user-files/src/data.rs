use serde::de::DeserializeOwned;

use crate::outline::{Fault, Outline, may_repeat, outline};
use crate::{Error, ErrorKind, bounds, unquoted};

/// Reads a whole YAML text, with the same leniency as front matter.
///
/// An empty text is YAML's null: ask for an `Option` where that may be.
///
/// # Errors
///
/// [`ErrorKind::Data`] when `text` is no YAML or no `T`; [`ErrorKind::Limit`]
/// when it is not worth reading.
pub fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    read(text.strip_prefix('\u{feff}').unwrap_or(text), 1)
}

/// Reads a whole YAML text as YAML has it: nothing is quoted.
///
/// # Errors
///
/// As [`yaml`].
pub fn strict_yaml<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    read_strictly(text.strip_prefix('\u{feff}').unwrap_or(text), 1)
}

pub(crate) fn read_strictly<T: DeserializeOwned>(
    yaml: &str,
    first_line: usize,
) -> Result<T, Error> {
    bounds::check(yaml, first_line)?;
    parse(yaml, first_line)
}

pub(crate) fn read<T: DeserializeOwned>(yaml: &str, first_line: usize) -> Result<T, Error> {
    bounds::check(yaml, first_line)?;
    let strict = match parse(yaml, first_line) {
        Err(error) if error.kind() != ErrorKind::Limit => error,
        result => return result,
    };
    let Some(quoted) = unquoted::quote(yaml).filter(|it| bounds::readable(it).is_ok()) else {
        return Err(strict);
    };
    parse(&quoted, first_line).map_err(|lenient| {
        // Where quoting was what the text lacked, the fault is elsewhere.
        let helped = outline(yaml).is_err() && outline(&quoted).is_ok();
        if helped { lenient } else { strict }
    })
}

/// Reads what is within bounds. Aliases are followed first where nothing is
/// kept of them.
fn parse<T: DeserializeOwned>(yaml: &str, first_line: usize) -> Result<T, Error> {
    if may_repeat(yaml) {
        outline(yaml).map_err(|fault| match fault {
            Fault::Repeats(error) => {
                let message = "expected aliases that make it at most 16 times as long";
                Error::new(ErrorKind::Limit, line(&error, first_line), message)
            }
            Fault::Data(error) => convert(&error, first_line),
        })?;
    }
    serde_yaml::from_str(yaml).map_err(|error| convert(&error, first_line))
}

/// Whether a text that is within bounds says something, and no mapping.
pub(crate) fn is_not_a_mapping(yaml: &str) -> bool {
    matches!(outline(yaml), Ok(Outline::Other))
}

fn convert(error: &serde_yaml::Error, first_line: usize) -> Error {
    let line = line(error, first_line);
    let text = error.to_string();
    // The place is told as the line of the error, once.
    let message = match text.rsplit_once(" at line ") {
        Some((message, place)) if is_place(place) => message,
        _ => &text,
    };
    Error::new(ErrorKind::Data, line, message)
}

fn line(error: &serde_yaml::Error, first_line: usize) -> usize {
    let location = error.location();
    location.map_or(first_line, |location| location.line())
}

fn is_place(text: &str) -> bool {
    text.split_once(" column ").is_some_and(|(line, column)| {
        [line, column]
            .iter()
            .all(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}
