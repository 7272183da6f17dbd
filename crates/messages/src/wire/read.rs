//! Reading in two steps: the text becomes a tape, in one pass; then each value is
//! read by its `type`. serde's own `tag`, `untagged` and `flatten` buffer values
//! in a form that loses raw JSON.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use aside_json::{JsonError, Kind, Path, Tape, Value, excerpt, has_lone_surrogate};

use super::read_repair::ReadRepair;

/// A value that was read, and what was repaired.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed<T> {
    /// The value.
    pub value: T,
    /// What could not be read as it is.
    pub diagnostics: Vec<ReadRepair>,
}

/// What reading collects in addition to its result.
#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) diagnostics: Vec<ReadRepair>,
}

impl Reader {
    pub(crate) fn unknown(&mut self, at: Path<'_>) {
        self.diagnostics.push(ReadRepair::UnknownValue(at.to_string()));
    }
}

/// Implemented by every wire type; `from_json` derives `serde::Deserialize`
/// from it.
pub(crate) trait Read: Sized {
    /// The shape, as a noun phrase: `an object`.
    const EXPECTED: &'static str;

    /// Reads the value at the path `at`, which is used in errors only.
    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError>;
}

/// Reads a whole document.
///
/// The whole document's syntax is validated first.
pub(crate) fn document<T: Read>(json: &[u8]) -> Result<Parsed<T>, ReadError> {
    let mut reader = Reader::default();
    let value = T::read(parsed(json, Path::Root)?.root(), Path::Root, &mut reader)?;
    Ok(Parsed { value, diagnostics: reader.diagnostics })
}

/// Parses a text at a path.
pub(crate) fn parsed<'t>(json: &'t [u8], at: Path<'_>) -> Result<Tape<'t>, ReadError> {
    let syntax = |error: JsonError| ReadError::new(ReadErrorKind::Syntax, at, error.in_text(json));
    Tape::parse_deep(json).map_err(syntax)
}

impl Read for String {
    const EXPECTED: &'static str = "a string";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        text(value, at, reader).map(Cow::into_owned)
    }
}

impl Read for Arc<str> {
    const EXPECTED: &'static str = String::EXPECTED;

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        text(value, at, reader).map(Into::into)
    }
}

fn text<'t>(
    value: Value<'t>,
    at: Path<'_>,
    reader: &mut Reader,
) -> Result<Cow<'t, str>, ReadError> {
    let (Some(text), Some(raw)) = (value.text(), value.raw_text()) else {
        return Err(ReadError::expected(String::EXPECTED, value, at));
    };
    // Without an escape there is no surrogate.
    if matches!(text, Cow::Owned(_)) && has_lone_surrogate(raw.as_bytes()) {
        let repair = ReadRepair::LoneSurrogate(at.to_string());
        reader.diagnostics.push(repair);
    }
    Ok(text)
}

impl<T: Read> Read for Vec<T> {
    const EXPECTED: &'static str = "an array";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        if value.kind() != Kind::Array {
            return Err(ReadError::expected(Self::EXPECTED, value, at));
        }
        let read = |(index, item)| T::read(item, Path::Index(&at, index), reader);
        value.items().enumerate().map(read).collect()
    }
}

/// Reads a number in any spelling, as the API does: `8`, `8.0` and `8e0` are 8.
impl Read for u64 {
    const EXPECTED: &'static str = "a whole number";

    fn read(value: Value<'_>, at: Path<'_>, _: &mut Reader) -> Result<Self, ReadError> {
        let whole = value.integer().and_then(|whole| whole.try_into().ok());
        // `i64` does not hold them all.
        let whole = whole.or_else(|| value.raw().parse().ok());
        whole.ok_or_else(|| ReadError::expected(Self::EXPECTED, value, at))
    }
}

/// Implements `Read` for scalars by serde's own reader.
macro_rules! scalar {
    ($($type:ty: $expected:literal),*) => {$(
        impl Read for $type {
            const EXPECTED: &'static str = $expected;

            fn read(value: Value<'_>, at: Path<'_>, _: &mut Reader) -> Result<Self, ReadError> {
                serde_json::from_str(value.raw())
                    .map_err(|_| ReadError::expected(Self::EXPECTED, value, at))
            }
        }
    )*};
}

pub(crate) use scalar;

scalar!(bool: "true or false", serde_json::Number: "a number");

/// Returns the text of a JSON string that serde_json reads as bytes. There, a
/// lone surrogate, which no Rust string can hold, is in its three-byte form,
/// `ED A0..BF 80..BF`, which is not valid UTF-8: it becomes U+FFFD.
///
/// ```
/// use aside_messages::wire::without_surrogates;
///
/// assert_eq!(without_surrogates(b"a\xED\xA0\x80b"), "a\u{FFFD}b");
/// ```
#[must_use]
pub fn without_surrogates(bytes: &[u8]) -> String {
    let mut clean = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        if let [0xED, 0xA0..=0xBF, _, after @ ..] = rest {
            clean.extend_from_slice("\u{FFFD}".as_bytes());
            rest = after;
        } else {
            clean.push(*first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&clean).into_owned()
}

/// Why a document cannot be read: the path, what was expected and what was
/// found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    kind: ReadErrorKind,
    path: String,
    detail: String,
}

/// The kinds of [`ReadError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// Not JSON at all.
    Syntax,
    /// The API has another shape there.
    Shape,
    /// A required key is absent.
    Missing,
    /// A key occurs twice in one object.
    Duplicate,
}

impl ReadError {
    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ReadErrorKind {
        self.kind
    }

    /// Returns the JSON path, such as `messages[3].content[0].source`; empty
    /// for the whole document.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns what was expected and what was found.
    ///
    /// It reads `expected a string, found 8`.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    fn new(kind: ReadErrorKind, at: Path<'_>, detail: String) -> Self {
        Self { kind, path: at.to_string(), detail }
    }

    /// For a value with another shape; quotes its beginning.
    pub(crate) fn expected(shape: &str, found: Value<'_>, at: Path<'_>) -> Self {
        let shown = excerpt(found.raw());
        Self::new(ReadErrorKind::Shape, at, format!("expected {shape}, found {shown}"))
    }

    /// For a required key that is absent.
    pub(super) fn missing(at: Path<'_>, shape: &str) -> Self {
        Self::new(ReadErrorKind::Missing, at, format!("expected {shape}, found nothing"))
    }

    /// For a key that occurs twice.
    pub(super) fn duplicate(at: Path<'_>) -> Self {
        let detail = "expected one such key, found a second".to_owned();
        Self::new(ReadErrorKind::Duplicate, at, detail)
    }

    /// For a key with half a surrogate pair.
    pub(super) fn no_text(key: &str, at: Path<'_>) -> Self {
        Self::new(ReadErrorKind::Syntax, at, format!("expected a key in Unicode, found \"{key}\""))
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            write!(f, "{}", self.detail)
        } else {
            write!(f, "{}: {}", self.path, self.detail)
        }
    }
}

impl std::error::Error for ReadError {}
