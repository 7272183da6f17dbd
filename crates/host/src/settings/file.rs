//! Reading one settings file, and locating a fault by line and column.
//!
//! Only a regular file is opened, so that a FIFO or a device in a repository cannot block or fill a
//! session.

use std::path::Path;

use aside_diagnostic::{Diagnostic, Location};
use aside_text::shortened;
use aside_user_files::json;
use aside_user_files::open::{Fence, OpenError, open_file};
use serde::de::DeserializeOwned;

use super::keys::Keys;
use super::misspelled::misspelled;
use crate::kinds;

const MAX_BYTES: u64 = 1024 * 1024;
/// A fault may quote the file, so it is cut.
const MAX_FAULT_CHARS: usize = 200;

/// Why settings were not read. Reads after the path.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// The file does not exist.
    #[error(": no such file")]
    Absent,
    /// The file cannot be opened or read.
    #[error(": {}", .0.message())]
    Open(OpenError),
    /// The file is not JSON, or a key has a value of the wrong type.
    #[error(":{0}")]
    Json(JsonFault),
}

#[derive(Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub(crate) struct JsonFault {
    /// 1-based.
    line: usize,
    /// 1-based; 0 before the line's first byte.
    column: usize,
    /// At most [`MAX_FAULT_CHARS`] characters.
    pub(super) message: String,
}

/// Reads a settings file. A project file is opened inside a fence.
///
/// # Errors
/// The file does not exist, is not a regular file, is longer than 1 MiB, leads out of the fence, or
/// is not valid.
pub(super) fn read(path: &Path, fence: Option<&Fence>) -> Result<Keys, Fault> {
    parse(&text(path, fence, MAX_BYTES)?).map_err(Fault::Json)
}

/// Reads another JSON file the way settings are read, up to 16 MiB.
///
/// # Errors
/// As for settings.
pub(crate) fn read_as<T: DeserializeOwned>(path: &Path, fence: Option<&Fence>) -> Result<T, Fault> {
    parse_as(&text(path, fence, 16 * MAX_BYTES)?).map_err(Fault::Json)
}

/// Reads a file as [`read_as`] does; `None` if it does not exist or has a fault, which is
/// reported.
pub(crate) fn read_present<T: DeserializeOwned>(
    path: &Path,
    fence: Option<&Fence>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<T> {
    match read_as(path, fence) {
        Ok(file) => Some(file),
        Err(Fault::Absent) => None,
        Err(fault) => {
            diagnostics.push(fault.diagnostic(path));
            None
        }
    }
}

fn text(path: &Path, fence: Option<&Fence>, limit: u64) -> Result<Vec<u8>, Fault> {
    let opened = match fence {
        Some(fence) => fence.open_file(path),
        None => open_file(path),
    };
    let text = opened.and_then(|file| file.read(limit));
    text.map_err(|error| if error.is_missing() { Fault::Absent } else { Fault::Open(error) })
}

/// Parses settings.
///
/// Skips a byte order mark at the start. Collects keys that are probably misspelled.
///
/// # Errors
/// The text is not UTF-8, not a JSON object, or a known key has a value of another type.
pub(super) fn parse(text: &[u8]) -> Result<Keys, JsonFault> {
    let keys: Keys = parse_as(text)?;
    Ok(Keys { misspelled: misspelled(&String::from_utf8_lossy(text)), ..keys })
}

/// Like [`parse`], for any type.
pub(super) fn parse_as<T: DeserializeOwned>(text: &[u8]) -> Result<T, JsonFault> {
    match std::str::from_utf8(text) {
        Ok(text) => json::read(text).map_err(|error| JsonFault::of(&error)),
        Err(error) => {
            let before = &text[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            let start = before.iter().rposition(|byte| *byte == b'\n');
            Err(JsonFault {
                line,
                column: before.len() + 1 - start.map_or(0, |at| at + 1),
                message: "not UTF-8".to_owned(),
            })
        }
    }
}

impl JsonFault {
    fn of(error: &json::JsonError) -> Self {
        let message = shortened(&error.message(), MAX_FAULT_CHARS).into_owned();
        Self { line: error.line(), column: error.column(), message }
    }
}

impl Fault {
    /// Reports the fault as a diagnostic for this file.
    pub(crate) fn diagnostic(&self, path: &Path) -> Diagnostic {
        match self {
            Self::Absent => {
                kinds::SETTINGS_UNREADABLE.diagnostic("no such file; the file is left out").at(path)
            }
            Self::Open(error) => {
                let message = format!("{}; the file is left out", error.message());
                kinds::SETTINGS_UNREADABLE.diagnostic(message).at(path)
            }
            Self::Json(fault) => {
                let column = Some(fault.column).filter(|column| *column > 0);
                let place = Location::new(path).line(fault.line).column(column);
                let message = format!("{}; the file is left out", fault.message);
                kinds::SETTINGS_INVALID.diagnostic(message).at(place)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_has_its_place_and_is_short() {
        let check = |text: &str, expected: &str| {
            assert_eq!(parse(text.as_bytes()).unwrap_err().to_string(), expected);
        };
        check("{\n  \"language\":\n}", "3:1: language: expected value");
        check("", "1:0: EOF while parsing a value");
        check("[]", "1:2: expected an object, found a list");
        check("\n  [[\"a\"]]", "2:3: expected an object, found a list");
        check("[", "1:1: expected an object, found a list");
        let long = format!("{{\"includeGitInstructions\":\"{}\"}}", "x".repeat(1_000));
        let diagnostics = parse(long.as_bytes()).unwrap_err().to_string();
        assert!(diagnostics.len() < 220 && diagnostics.ends_with("x…"), "{diagnostics}");
    }

    #[test]
    fn invalid_utf8_has_its_place() {
        let diagnostics = parse(b"{\n \"a\":\xff}").unwrap_err().to_string();
        assert_eq!(diagnostics, "2:6: not UTF-8");
    }

    #[test]
    fn a_byte_order_mark_is_no_fault() {
        assert_eq!(parse("\u{feff}{}".as_bytes()).unwrap(), Keys::default());
    }

    /// Returns the diagnostic for an unreadable file.
    fn fault(path: &Path) -> String {
        read(path, None).unwrap_err().to_string()
    }

    #[cfg(unix)]
    #[test]
    fn only_files_are_opened() {
        let directory = tempfile::tempdir().unwrap();
        let fifo = directory.path().join("settings.json");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        assert_eq!(fault(&fifo), ": a FIFO, not a file");
        assert_eq!(fault(Path::new("/dev/zero")), ": a device, not a file");
        assert_eq!(fault(directory.path()), ": a directory, not a file");
    }

    #[test]
    fn at_most_1_mib() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("settings.json");
        std::fs::write(&path, vec![b' '; 1024 * 1024 + 1]).unwrap();
        assert_eq!(fault(&path), ": more than 1 MiB");
    }
}
