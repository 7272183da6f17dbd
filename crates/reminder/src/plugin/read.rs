//! Reading a file that may be anything: a FIFO that nobody writes to, a
//! device, a sparse gigabyte.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The most that a plugin file has, in bytes.
pub(super) const LIMIT: u64 = 256 * 1024;

/// What is wrong with a file, and on which line.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) message: String,
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::whole(format!("unreadable: {error}"))
    }
}

impl Fault {
    /// One that concerns the whole file.
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self {
            line: 1,
            message: message.into(),
        }
    }
}

/// The text of a regular file, links followed.
pub(super) fn text(path: &Path) -> Result<String, Fault> {
    // Looked at before it is opened: to open a device can have effects.
    regular(&fs::metadata(path)?)?;
    let file = open(&fs::canonicalize(path)?)?;
    let metadata = file.metadata()?;
    regular(&metadata)?;
    size(metadata.len())?;
    let mut bytes = Vec::new();
    // The size was true a moment ago, and is 0 for the files of /proc.
    (&file).take(LIMIT + 1).read_to_end(&mut bytes)?;
    size(bytes.len() as u64)?;
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let byte = error.as_bytes().get(before.len()).copied();
        Fault {
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            message: format!("found the byte {:#04x}, expected UTF-8", byte.unwrap_or(0)),
        }
    })
}

fn size(bytes: u64) -> Result<(), Fault> {
    if bytes <= LIMIT {
        return Ok(());
    }
    let message = format!("found {bytes} bytes or more, expected at most 256 KB");
    Err(Fault::whole(message))
}

fn regular(metadata: &Metadata) -> Result<(), Fault> {
    let found = if metadata.is_file() {
        return Ok(());
    } else if metadata.is_dir() {
        "a directory"
    } else {
        "a device, FIFO or socket"
    };
    Err(Fault::whole(format!("found {found}, expected a file")))
}

#[cfg(unix)]
fn open(resolved: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;

    // What was a file when it was looked at may be a FIFO, or a link, by now.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(resolved)
}

#[cfg(not(unix))]
fn open(resolved: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(resolved)
}
