//! Reading in two steps, raw and then by `type`: serde's own `tag`, `untagged`
//! and `flatten` buffer values in a form that loses raw JSON.

use std::fmt;
use std::sync::Arc;

use aside_json::Path;
use aside_json::excerpt;
use serde_json::value::RawValue;

use super::raw::RawJson;
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

/// Implemented by every wire type; `from_json` derives `serde::Deserialize`
/// from it.
pub(crate) trait Read: Sized {
    /// The shape, as a noun phrase: `an object`.
    const EXPECTED: &'static str;

    /// Reads the value at the path `at`, which is used in errors only.
    fn read(raw: &RawValue, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError>;
}

/// Reads a whole document.
///
/// The whole document's syntax is validated first.
pub(crate) fn document<T: Read>(json: &[u8]) -> Result<Parsed<T>, ReadError> {
    let raw: &RawValue =
        serde_json::from_slice(json).map_err(|error| ReadError::syntax_at(&error, Path::Root))?;
    let mut reader = Reader::default();
    let value = T::read(raw, Path::Root, &mut reader)?;
    Ok(Parsed {
        value,
        diagnostics: reader.diagnostics,
    })
}

impl Read for RawJson {
    const EXPECTED: &'static str = "a value";

    /// Reads any value, with every key once.
    fn read(raw: &RawValue, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let raw = Self::from(raw.to_owned());
        let Some((once, paths)) = raw.keys_once() else {
            return Ok(raw);
        };
        let repair = |it: &String| {
            let dot = if it.starts_with('[') { "" } else { "." };
            ReadRepair::DoubledKey(format!("{at}{dot}{it}"))
        };
        reader.diagnostics.extend(paths.iter().map(repair));
        Ok(once)
    }
}

impl Read for String {
    const EXPECTED: &'static str = "a string";

    fn read(raw: &RawValue, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        if !raw.get().starts_with('"') {
            return Err(ReadError::expected(Self::EXPECTED, raw, at));
        }
        if let Ok(text) = serde_json::from_str(raw.get()) {
            return Ok(text);
        }
        let text = decode_lossy(raw.get()).map_err(|error| ReadError::syntax_at(&error, at))?;
        let repair = ReadRepair::LoneSurrogate(at.to_string());
        reader.diagnostics.push(repair);
        Ok(text)
    }
}

impl Read for Arc<str> {
    const EXPECTED: &'static str = String::EXPECTED;

    fn read(raw: &RawValue, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        String::read(raw, at, reader).map(Into::into)
    }
}

impl<T: Read> Read for Vec<T> {
    const EXPECTED: &'static str = "an array";

    fn read(raw: &RawValue, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        if !raw.get().starts_with('[') {
            return Err(ReadError::expected(Self::EXPECTED, raw, at));
        }
        let items: Vec<&RawValue> =
            serde_json::from_str(raw.get()).map_err(|error| ReadError::syntax_at(&error, at))?;
        let read = |(index, item)| T::read(item, Path::Index(&at, index), reader);
        items.into_iter().enumerate().map(read).collect()
    }
}

/// Implements `Read` for scalars by serde's own reader.
macro_rules! scalar {
    ($($type:ty: $expected:literal),*) => {$(
        impl Read for $type {
            const EXPECTED: &'static str = $expected;

            fn read(raw: &RawValue, at: Path<'_>, _: &mut Reader) -> Result<Self, ReadError> {
                serde_json::from_str(raw.get())
                    .map_err(|_| ReadError::expected(Self::EXPECTED, raw, at))
            }
        }
    )*};
}

scalar!(bool: "true or false", u64: "a whole number", serde_json::Number: "a number");

/// Reads a JSON string; a lone surrogate becomes U+FFFD.
pub(crate) fn decode_lossy(literal: &str) -> Result<String, serde_json::Error> {
    serde_json::from_str(literal).map(|LossyText(text)| text)
}

/// A string in which lone surrogates, which a Rust string cannot hold, are
/// U+FFFD.
struct LossyText(String);

impl<'de> serde::Deserialize<'de> for LossyText {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = LossyText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(LossyText(without_surrogates(bytes)))
            }
        }
        deserializer.deserialize_bytes(Visitor)
    }
}

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

    /// For a value with another shape; quotes its beginning.
    pub(crate) fn expected(shape: &str, found: &RawValue, at: Path<'_>) -> Self {
        let shown = excerpt(found.get());
        Self {
            kind: ReadErrorKind::Shape,
            path: at.to_string(),
            detail: format!("expected {shape}, found {shown}"),
        }
    }

    /// For a required key that is absent.
    pub(super) fn missing(at: Path<'_>, shape: &str) -> Self {
        Self {
            kind: ReadErrorKind::Missing,
            path: at.to_string(),
            detail: format!("expected {shape}, found nothing"),
        }
    }

    /// For a key that occurs twice.
    pub(super) fn duplicate(at: Path<'_>) -> Self {
        Self {
            kind: ReadErrorKind::Duplicate,
            path: at.to_string(),
            detail: "expected one such key, found a second".to_owned(),
        }
    }

    /// For invalid JSON, with serde_json's line and column within the value.
    pub(crate) fn syntax_at(error: &serde_json::Error, at: Path<'_>) -> Self {
        Self {
            kind: ReadErrorKind::Syntax,
            path: at.to_string(),
            detail: format!("expected JSON: {error}"),
        }
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
