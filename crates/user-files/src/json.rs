//! Reading JSON that people write, into serde types.
//!
//! serde accepts a list in place of an object, with values in key order, and
//! reports faults in terms of Rust. Here an object has to be an object, and an
//! error has its path, line and column.
//!
//! ```
//! use aside_user_files::json;
//!
//! #[derive(Debug, serde::Deserialize)]
//! struct Skill {
//!     name: String,
//! }
//!
//! let skills: Vec<Skill> = json::read(r#"[{"name":"review"}]"#)?;
//! assert_eq!(skills[0].name, "review");
//!
//! let error = json::read::<Vec<Skill>>(r#"[["review"]]"#).unwrap_err();
//! assert_eq!(error.to_string(), "1:2: [0]: expected an object, found a list");
//! # Ok::<(), json::JsonError>(())
//! ```

mod objects;
mod place;

use serde::Deserialize;

use self::objects::Objects;
use self::place::Place;
use crate::messages;

/// Reads a whole JSON text, which may begin with a byte order mark.
///
/// # Errors
///
/// The text is not JSON or not a `T`.
pub fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, JsonError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let place = Place::default();
    let mut json = serde_json::Deserializer::from_str(text);
    T::deserialize(Objects::new(&mut json, &place))
        .and_then(|value| json.end().map(|()| value))
        .map_err(|error| JsonError::new(&error, &place))
}

/// Removes serde's trailing position.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// Why a JSON text cannot be read, with the position and path. Displays without
/// the file name: `2:7: skills[0]: expected …`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {}", self.message())]
pub struct JsonError {
    line: usize,
    column: usize,
    path: String,
    detail: String,
}

impl JsonError {
    fn new(error: &serde_json::Error, place: &Place) -> Self {
        Self {
            line: error.line(),
            column: error.column(),
            path: place.to_string(),
            detail: messages::plain(&without_place(error), place.choices(), messages::JSON),
        }
    }

    /// Returns the 1-based line at which reading stopped.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the last byte that was read on that line, 1-based; 0 before its
    /// first.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// Returns the path, such as `skills[0].name`; empty for the whole text.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the path, if there is one, and the detail: `a.b: expected a string`.
    #[must_use]
    pub fn message(&self) -> String {
        match self.path() {
            "" => self.detail().to_owned(),
            path => format!("{path}: {}", self.detail()),
        }
    }

    /// Returns what was expected and what was found, without the position.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

#[cfg(test)]
mod tests;
