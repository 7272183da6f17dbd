//! JSON that people write, read into types of serde's.
//!
//! serde's own reading takes a list for an object, its values for those of the
//! keys in order, and tells faults in words of Rust. Here an object is an
//! object, and a fault has its path, line and column.
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
//! # Ok::<(), json::Error>(())
//! ```

mod objects;
mod place;
mod words;

use std::fmt;

use serde::Deserialize;

use self::objects::Objects;
use self::place::Place;

/// Reads a whole JSON text, which may begin with a byte order mark.
///
/// # Errors
/// What is no JSON or no `T`.
pub fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let place = Place::default();
    let mut json = serde_json::Deserializer::from_str(text);
    let read = T::deserialize(Objects::new(&mut json, &place));
    let value = read.map_err(|error| Error::new(&error, &place))?;
    json.end().map_err(|error| Error::new(&error, &place))?;
    Ok(value)
}

/// Returns the message without serde's trailing position.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// Why a JSON text was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    line: usize,
    column: usize,
    path: String,
    detail: String,
}

impl Error {
    fn new(error: &serde_json::Error, place: &Place) -> Self {
        Self {
            line: error.line(),
            column: error.column(),
            path: place.to_string(),
            detail: words::plain(&without_place(error), place.choices()),
        }
    }

    /// The line at which reading stopped, 1-based.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// The last byte that was read of that line, 1-based; 0 before its first.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// The path, such as `skills[0].name`; empty for the whole text.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What was expected and what was found.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

/// Without the file, which a caller knows: `2:7: skills[0]: expected …`.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests;
