use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use aside_messages::json;

use super::keys::Keys;

/// More than any settings file has.
const MAX_BYTES: u64 = 1024 * 1024;
/// The longest part of a fault that is shown, in characters: it may quote the
/// file.
const LONGEST_FAULT: usize = 200;

/// Why settings were not read.
#[derive(Debug)]
pub(super) enum Fault {
    /// The file is not there.
    Absent,
    /// The system refused, or there is something else in its place.
    Io(io::Error),
    /// It is not JSON, or a key has a value of the wrong kind.
    Json(JsonFault),
}

/// What is wrong with a JSON text, behind its line and column.
#[derive(Debug)]
pub(super) struct JsonFault(String);

/// Reads a settings file, if it is there.
pub(super) fn read(path: &Path) -> Result<Keys, Fault> {
    let text = read_bytes(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Fault::Absent,
        _ => Fault::Io(error),
    })?;
    parse(&text).map_err(Fault::Json)
}

/// Reads settings.
pub(super) fn parse(text: &[u8]) -> Result<Keys, JsonFault> {
    match std::str::from_utf8(text) {
        Ok(text) => json::read(text).map_err(|error| JsonFault(shortened(&error.to_string()))),
        Err(error) => {
            let before = &text[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            let start = before.iter().rposition(|byte| *byte == b'\n');
            let column = before.len() + 1 - start.map_or(0, |at| at + 1);
            Err(JsonFault(format!("{line}:{column}: not UTF-8")))
        }
    }
}

fn shortened(message: &str) -> String {
    match message.char_indices().nth(LONGEST_FAULT) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

/// A project may have put anything there: to open a device can have effects,
/// and to open a FIFO can take for ever.
pub(crate) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    regular(&fs::metadata(path)?)?;
    let file = open(path)?;
    regular(&file.metadata()?)?;
    let mut text = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("more than 1 MiB"));
    }
    Ok(text)
}

fn regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(io::Error::other("not a file"))
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;

    // What was a file when it was looked at may be a FIFO by now.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// What is said behind the path.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str(": no such file"),
            Self::Io(error) => write!(f, ": {error}"),
            Self::Json(fault) => write!(f, ":{fault}"),
        }
    }
}

impl fmt::Display for JsonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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
        let told = parse(long.as_bytes()).unwrap_err().to_string();
        assert!(told.len() < 220 && told.ends_with("x…"), "{told}");
    }

    #[test]
    fn bytes_that_are_no_text_have_their_place() {
        let told = parse(b"{\n \"a\":\xff}").unwrap_err().to_string();
        assert_eq!(told, "2:6: not UTF-8");
    }

    #[test]
    fn a_byte_order_mark_is_no_fault() {
        assert_eq!(parse("\u{feff}{}".as_bytes()).unwrap(), Keys::default());
    }

    #[cfg(unix)]
    #[test]
    fn only_files_are_opened() {
        let directory = tempfile::tempdir().unwrap();
        let fifo = directory.path().join("settings.json");
        let made = std::process::Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap();
        assert!(made.success());
        for path in [&fifo, Path::new("/dev/zero"), directory.path()] {
            assert_eq!(read_bytes(path).unwrap_err().to_string(), "not a file");
        }
    }

    #[test]
    fn at_most_1_mib() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("settings.json");
        fs::write(&path, vec![b' '; 1024 * 1024 + 1]).unwrap();
        assert_eq!(
            read_bytes(&path).unwrap_err().to_string(),
            "more than 1 MiB"
        );
    }
}
