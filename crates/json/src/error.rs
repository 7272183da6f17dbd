use std::fmt;

/// Where a text stops being JSON, and what was expected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    pub(crate) at: usize,
    pub(crate) expected: Expected,
}

/// The token that was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// A value.
    Value,
    /// A key in quotes.
    Key,
    /// The colon after a key.
    Colon,
    /// A comma, or the bracket that closes the list or the object.
    Comma,
    /// A closing quote: the text ends within a string.
    EndOfString,
    /// A closing bracket of the right kind.
    Bracket,
    /// A digit of a number.
    Digit,
    /// An escape known to JSON, such as `\n` or `\u000a`.
    Escape,
    /// An escape instead of a bare control character.
    NoControl,
    /// UTF-8.
    Utf8,
    /// The end of the text.
    End,
    /// Nesting of at most [`MAX_DEPTH`](crate::MAX_DEPTH) brackets.
    LessDepth,
    /// A text of at most [`MAX_TAPE_BYTES`](crate::MAX_TAPE_BYTES).
    LessBytes,
}

impl JsonError {
    pub(crate) fn new<T>(at: usize, expected: Expected) -> Result<T, Self> {
        Err(Self { at, expected })
    }

    /// Returns the byte's position.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns what was expected there.
    #[must_use]
    pub fn expected(&self) -> Expected {
        self.expected
    }

    /// Describes the error with line and column in the text that was read, both
    /// from 1; columns count bytes.
    ///
    /// ```
    /// use aside_json::Tape;
    ///
    /// let text = b"{\"a\":1,\n \"b\" 2}";
    /// let error = Tape::parse(text).unwrap_err();
    /// assert_eq!(error.in_text(text), "expected a colon at line 2 column 6");
    /// ```
    #[must_use]
    pub fn in_text(&self, text: &[u8]) -> String {
        let before = &text[..self.at.min(text.len())];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let column = before.len() - start + 1;
        format!("{} at line {line} column {column}", self.expected)
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.expected, self.at)
    }
}

impl std::error::Error for JsonError {}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value => "expected a value",
            Self::Key => "expected a key",
            Self::Colon => "expected a colon",
            Self::Comma => "expected a comma or a closing bracket",
            Self::EndOfString => "a string without its end",
            Self::Bracket => "a bracket without its counterpart",
            Self::Digit => "expected a digit",
            Self::Escape => "an escape that JSON does not have",
            Self::NoControl => "a control character that is not escaped",
            Self::Utf8 => "a byte that is no UTF-8",
            Self::End => "expected one JSON value, found more",
            Self::LessDepth => "nested too deeply",
            Self::LessBytes => "too long",
        })
    }
}
