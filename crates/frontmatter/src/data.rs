use serde::de::DeserializeOwned;
use serde_yaml::Value;

use crate::unquoted;
use crate::{Error, ErrorKind};

/// Reads a whole YAML text, with the same leniency as front matter.
///
/// An empty text is YAML's null: ask for an `Option` where that may be.
///
/// # Errors
///
/// [`ErrorKind::Data`] when `text` is no YAML or no `T`.
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
    serde_yaml::from_str(yaml).map_err(|error| convert(&error, first_line))
}

pub(crate) fn read<T: DeserializeOwned>(yaml: &str, first_line: usize) -> Result<T, Error> {
    let strict = match serde_yaml::from_str(yaml) {
        Ok(data) => return Ok(data),
        Err(error) => error,
    };
    let Some(quoted) = unquoted::quote(yaml) else {
        return Err(convert(&strict, first_line));
    };
    serde_yaml::from_str(&quoted).map_err(|lenient| {
        // Where quoting was what the text lacked, the fault is elsewhere.
        let helped = !is_yaml(yaml) && is_yaml(&quoted);
        convert(if helped { &lenient } else { &strict }, first_line)
    })
}

fn is_yaml(text: &str) -> bool {
    serde_yaml::from_str::<Value>(text).is_ok()
}

pub(crate) fn is_not_a_mapping(yaml: &str) -> bool {
    serde_yaml::from_str::<Value>(yaml)
        .is_ok_and(|value| !matches!(value, Value::Mapping(_) | Value::Null))
}

fn convert(error: &serde_yaml::Error, first_line: usize) -> Error {
    let line = error
        .location()
        .map_or(first_line, |location| location.line());
    let text = error.to_string();
    // The place is told as the line of the error, once.
    let message = match text.rsplit_once(" at line ") {
        Some((message, place)) if is_place(place) => message,
        _ => &text,
    };
    Error::new(ErrorKind::Data, line, message)
}

fn is_place(text: &str) -> bool {
    text.split_once(" column ").is_some_and(|(line, column)| {
        [line, column]
            .iter()
            .all(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}
