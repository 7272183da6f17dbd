use std::fmt;
use std::sync::Arc;

use aside_json::{Path, Value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::read::{Read, ReadError, Reader, parsed};
use super::read_repair::ReadRepair;

/// A JSON value as text: it keeps key order, spacing and how numbers are
/// written. Cloning shares the text. Two values are equal if their texts are.
///
/// When a value is deserialized, it keeps the last of doubled keys, which an
/// API may refuse; [`RawJson::parse`] keeps all.
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

    /// Returns the value with every key once, and the paths of doubled ones;
    /// `None` if there is none ([`aside_json::keys_once`]).
    #[must_use]
    pub fn keys_once(&self) -> Option<(Self, Vec<String>)> {
        let (once, paths) = aside_json::keys_once(self.get())?;
        Some((Self::parse(&once).ok()?, paths))
    }

    /// Returns the value with every key once. Costs no copy if there is no doubled one.
    #[must_use]
    pub fn with_keys_once(self) -> Self {
        self.keys_once().map_or(self, |(once, _)| once)
    }

    /// Copies a value, with every key once, and returns the paths of doubled ones.
    pub(crate) fn once(value: Value<'_>) -> (Self, Vec<String>) {
        let raw = Self::parse(value.raw()).expect("what is on a tape is JSON");
        if value.doubled_keys().next().is_none() {
            return (raw, Vec::new());
        }
        raw.keys_once().unwrap_or((raw, Vec::new()))
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

    /// Reads any value, with every key once.
    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let (once, paths) = Self::once(value);
        let repair = |it: &String| {
            let dot = if it.starts_with('[') { "" } else { "." };
            ReadRepair::DoubledKey(format!("{at}{dot}{it}"))
        };
        reader.diagnostics.extend(paths.iter().map(repair));
        Ok(once)
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
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self::from(raw).with_keys_once())
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
}
