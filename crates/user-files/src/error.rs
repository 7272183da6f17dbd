/// Why front matter or YAML cannot be read, and on which line of the file.
///
/// Reads after "failed to read the front matter: ", for example `line 3: paths:
/// expected a string, found 7`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct DocumentError {
    kind: DocumentErrorKind,
    line: usize,
    message: String,
}

/// The kinds of [`DocumentError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DocumentErrorKind {
    /// A block is opened, and not closed within 64 KB.
    Unclosed,
    /// The block is YAML, but a text, number or list instead of a mapping.
    NotAMapping,
    /// The block is not YAML, or its data does not have the requested type.
    Data,
    /// The block is too large, nested too deep or repeats too much. To read it
    /// could take unbounded time and memory.
    Limit,
    /// The file is not UTF-8.
    NotUtf8,
    /// The crate was compiled without the feature `yaml`.
    Unsupported,
}

/// Returns a file's bytes as text.
///
/// ```
/// let error = aside_user_files::decode(b"a\n\xff".to_vec()).unwrap_err();
/// assert_eq!(error.to_string(), "line 2: found the byte 0xff, expected UTF-8");
/// ```
///
/// # Errors
///
/// [`DocumentErrorKind::NotUtf8`], with the line of the first byte that is not.
pub fn decode(bytes: Vec<u8>) -> Result<String, DocumentError> {
    String::from_utf8(bytes).map_err(|error| {
        let (before, rest) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let byte = rest.first().copied().unwrap_or_default();
        let message = format!("found the byte {byte:#04x}, expected UTF-8");
        DocumentError::new(DocumentErrorKind::NotUtf8, line, message)
    })
}

impl DocumentError {
    pub(crate) fn new(kind: DocumentErrorKind, line: usize, message: impl Into<String>) -> Self {
        Self { kind, line, message: message.into() }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> DocumentErrorKind {
        self.kind
    }

    /// Returns the 1-based line in the file; the block's opening line when the
    /// exact one is unknown.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the same error on another line, with these words before its message.
    #[must_use]
    pub fn moved(mut self, line: usize, before: &str) -> Self {
        self.line = line;
        self.message.insert_str(0, before);
        self
    }

    /// Returns the message without the line.
    pub fn message(&self) -> &str {
        &self.message
    }
}
