//! Inputs and names that several functions read.

use aside_body::Body;
use aside_json::{Tape, Value};
use aside_models::{Platform, Wire};
use aside_text::one_line;

use crate::error::BindingError;

/// Accepts any wire.
pub(crate) fn body(bytes: &[u8]) -> Result<Body, BindingError> {
    Body::parse(bytes).map_err(|error| BindingError::body(&error, bytes))
}

pub(crate) fn tape(bytes: &[u8]) -> Result<Tape<'_>, BindingError> {
    Tape::parse(bytes).map_err(|error| BindingError::shape(error).of_input(bytes))
}

/// The same for text that is written anew, which would lose half a surrogate pair.
pub(crate) fn whole_tape(bytes: &[u8]) -> Result<Tape<'_>, BindingError> {
    let tape = tape(bytes)?;
    let path = tape.lone_surrogates().next().map(Value::path);
    match path {
        Some(path) => Err(BindingError { path, ..BindingError::shape("half a surrogate pair") }),
        None => Ok(tape),
    }
}

pub(crate) fn text(bytes: &[u8]) -> Result<&str, BindingError> {
    std::str::from_utf8(bytes).map_err(|_| BindingError::option("the text is not UTF-8"))
}

pub(crate) fn wire(name: &str) -> Result<Wire, BindingError> {
    name.parse().map_err(|_| {
        let names = Wire::ALL.map(Wire::as_str).join(", ");
        BindingError::option(format!("there is no wire {name:?}: expected {names}"))
    })
}

pub(crate) fn platform(name: &str) -> Result<Platform, BindingError> {
    name.parse().map_err(|_| {
        let names = Platform::ALL.map(Platform::as_str).join(", ");
        BindingError::option(format!("there is no platform {name:?}: expected {names}"))
    })
}

/// Joins lines for a terminal; control characters are escaped.
pub(crate) fn lines(lines: &[String]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| one_line(line)).collect();
    lines.join("\n")
}
