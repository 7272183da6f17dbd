//! From an open file to its text.

use aside_diagnostic::Kind;
use aside_user_files::decode;
use aside_user_files::open::{OpenError, OpenErrorKind, RegularFile};

use super::kinds;

const MAX_BYTES: u64 = 256 * 1024;

#[derive(Debug)]
pub(super) struct Fault {
    pub(super) kind: Kind,
    /// 1-based; 1 when the whole file is concerned.
    pub(super) line: usize,
    /// Reads after the path and the line.
    pub(super) message: String,
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Self {
        Self::whole(match error.kind() {
            OpenErrorKind::NotAFile(kind) => format!("found {kind}, expected a file"),
            OpenErrorKind::TooLarge { bytes, .. } => {
                format!("found {bytes} bytes or more, expected at most 256 KB")
            }
            OpenErrorKind::Outside => error.message(),
            _ => format!("unreadable: {}", error.message()),
        })
    }
}

impl Fault {
    /// For a file without a text to send. In Markdown, `body` is the line where it would begin.
    pub(super) fn no_content(body: Option<usize>) -> Self {
        let expected = match body {
            Some(_) => "expected text after the front matter",
            None => "expected the key content with some text",
        };
        Self::invalid(body.unwrap_or(1), format!("no content: {expected}"))
    }

    /// Creates a fault that concerns the whole file.
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self::invalid(1, message)
    }

    /// Creates a fault with which the file cannot be loaded.
    pub(super) fn invalid(line: usize, message: impl Into<String>) -> Self {
        Self { kind: kinds::INVALID, line, message: message.into() }
    }
}

/// Reads an open file.
///
/// # Errors
///
/// The file is larger than [`MAX_BYTES`], cannot be read, or is not UTF-8.
pub(super) fn text(file: RegularFile) -> Result<String, Fault> {
    let decoded = decode(file.read(MAX_BYTES)?);
    decoded.map_err(|error| Fault::invalid(error.line(), error.message()))
}
