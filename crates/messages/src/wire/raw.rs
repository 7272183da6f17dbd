use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use aside_json::{Path, Tape, Value, has_lone_surrogate, replace_lone_surrogates};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::read::{Read, ReadError, Reader, parsed};
use super::read_repair::ReadRepair;

/// How many halves of surrogate pairs in a value to report: a path costs as
/// much as the value is long.
const MAX_REPORTED: usize = 100;

/// A JSON value as text: it keeps key order, spacing and how numbers are
/// written. Cloning shares the text. Two values are equal if their texts are.
///
/// When a value is deserialized, it keeps the last of doubled keys, and half a
/// surrogate pair becomes U+FFFD: an API may refuse both. [`RawJson::parse`]
/// keeps all.
///
/// ```
/// use aside_messages::wire::RawJson;
///
/// let raw = RawJson::parse(r#"{ "b": 1.0, "a": 2 }"#)?;
/// assert_eq!(raw.get(), r#"{ "b": 1.0, "a": 2 }"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// So `1.0` and `1` are different, and so are `{"a":1}` and `{ "a": 1 }`.
#[derive(Clone)]
pub struct RawJson(Arc<RawValue>);

impl RawJson {
    /// Checks that `text` is one JSON value. Drops white space around it.
    ///
    /// # Errors
    /// Returns the syntax error from `serde_json`, with line and column.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<Box<RawValue>>(text).map(Into::into)
    }

    /// Writes a value.
    ///
    /// # Panics
    /// The value has a map whose keys are no strings.
    #[must_use]
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        let json = serde_json::value::to_raw_value(value).expect("the value has string keys only");
        json.into()
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Returns the value with every key once and with U+FFFD for each half of a
    /// surrogate pair, and what was repaired, by its path in the value; `None`
    /// if nothing was.
    #[must_use]
    pub fn repairs(&self) -> Option<(Self, Vec<ReadRepair>)> {
        let (mut text, mut repairs) = (Cow::Borrowed(self.get()), Vec::new());
        // First of all: keys that differ in their halves become equal.
        if has_lone_surrogate(text.as_bytes()) {
            let tape = Tape::parse_deep(text.as_bytes()).ok()?;
            let halves = tape.lone_surrogates().take(MAX_REPORTED).map(Value::path);
            repairs.extend(halves.map(ReadRepair::LoneSurrogate));
            let mut bytes = text.into_owned().into_bytes();
            replace_lone_surrogates(&mut bytes);
            text = Cow::Owned(String::from_utf8(bytes).ok()?);
        }
        if let Some((once, doubled)) = aside_json::keys_once(&text) {
            repairs.extend(doubled.into_iter().map(ReadRepair::DoubledKey));
            text = Cow::Owned(once);
        }
        if repairs.is_empty() {
            return None;
        }
        Some((Self::parse(&text).ok()?, repairs))
    }

    /// Returns the value with [`RawJson::repairs`].
    #[must_use]
    pub fn repaired(self) -> Self {
        self.repairs().map_or(self, |(repaired, _)| repaired)
    }

    /// Deserializes a value as it is written, for one that is read with a report
    /// of its repairs.
    ///
    /// # Errors
    /// It is not JSON.
    pub fn as_written<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Into::into)
    }

    /// Copies a value with [`RawJson::repairs`]. One without a fault is not
    /// parsed again.
    pub(crate) fn copy(value: Value<'_>) -> (Self, Vec<ReadRepair>) {
        let raw = Self::parse(value.raw()).expect("what is on a tape is JSON");
        let is_whole = value.doubled_keys().next().is_none();
        if is_whole && !has_lone_surrogate(value.raw().as_bytes()) {
            return (raw, Vec::new());
        }
        raw.repairs().unwrap_or((raw, Vec::new()))
    }

    /// Reads something from the value.
    pub(crate) fn with_value<T>(
        &self,
        read: impl FnOnce(Value<'_>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        read(parsed(self.get().as_bytes(), Path::Root)?.root())
    }

    /// Returns true if the value is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(value: Box<RawValue>) -> Self {
        Self(value.into())
    }
}

impl Read for RawJson {
    const EXPECTED: &'static str = "a value";

    /// Reads any value, with [`RawJson::repairs`].
    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let (copy, repairs) = Self::copy(value);
        let at = at.to_string();
        reader.diagnostics.extend(repairs.into_iter().map(|it| it.inside(&at)));
        Ok(copy)
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for RawJson {}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::as_written(deserializer).map(Self::repaired)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let read: RawJson = serde_json::from_str(text).unwrap();
        assert_eq!(read.get(), expected);
    }

    #[test]
    fn of_doubled_keys_the_last_one_is_kept() {
        check(r#"{"a":1,"b":2}"#, r#"{"a":1,"b":2}"#);
        check(r#"{"a":1,"a":2}"#, r#"{"a":2}"#);
        check(r#"{"a":1, "b":2, "a":3}"#, r#"{"b":2, "a":3}"#);
        check(r#"[{"k":{"z":1,"z":2,"z":3}}]"#, r#"[{"k":{"z":3}}]"#);
        check(r#"{"a":1,"\u0061":2}"#, r#"{"\u0061":2}"#);
        check(r#"{"a":{"b":1,"b":2},"a":{"c":1,"c":2}}"#, r#"{"a":{"c":2}}"#);
        check(r#""{\"a\":1,\"a\":2}""#, r#""{\"a\":1,\"a\":2}""#);
    }

    #[test]
    fn half_a_surrogate_pair_becomes_the_replacement_character() {
        check(r#""\ud83d\ude00 \\ud800""#, r#""\ud83d\ude00 \\ud800""#);
        check(r#""a\ud83d""#, r#""a\ufffd""#);
        check(r#"{"\udc00":["\uD800x", 1]}"#, r#"{"\ufffd":["\ufffdx", 1]}"#);
        check(r#"{"\udc00":1,"\ud800":2}"#, r#"{"\ufffd":2}"#);
    }
}
