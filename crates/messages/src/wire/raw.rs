use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use aside_json::{Kind, Tape};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON value as text: key order, spacing and the form of numbers are kept. Of
/// doubled keys, which an API may refuse, the last one is. Cloning shares the text.
/// Two values are equal if their texts are.
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
    /// Checks that `text` is one JSON value. White space around it is dropped.
    ///
    /// # Errors
    /// Returns the syntax error of `serde_json`, with line and column.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<Box<RawValue>>(text).map(Into::into)
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Returns the value with every key once, and the paths of the doubled ones; `None` if there is
    /// none ([`aside_json::keys_once`]).
    #[must_use]
    pub fn keys_once(&self) -> Option<(Self, Vec<String>)> {
        let (once, paths) = aside_json::keys_once(self.get())?;
        Some((Self::parse(&once).ok()?, paths))
    }

    /// Returns the value as serde_json's own type.
    pub(crate) fn as_raw(&self) -> &RawValue {
        &self.0
    }

    /// Returns true if the value is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(value: Box<RawValue>) -> Self {
        let unique = with_unique_keys(value.get());
        let unique = unique.and_then(|it| RawValue::from_string(it).ok());
        Self(unique.unwrap_or(value).into())
    }
}

/// Returns the JSON without the members whose key the same object has again, at any
/// depth; `None` if there are none.
fn with_unique_keys(text: &str) -> Option<String> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let tape = Tape::parse(text.as_bytes()).ok()?;
    tape.root().doubled_keys().next()?;
    let mut removed = Vec::new();
    for object in tape.values().filter(|it| it.kind() == Kind::Object) {
        let members: Vec<_> = object.members().collect();
        let mut seen = HashSet::new();
        let earlier = members.iter().rev().filter(|(key, _)| !seen.insert(key));
        // A later member follows, so the comma between them goes as well.
        removed.extend(earlier.map(|(_, member)| member.removal()));
    }
    removed.sort_by_key(|it| it.start);
    let (mut unique, mut at) = (String::new(), 0);
    for span in removed {
        // What is inside of a removed member is gone with it.
        if span.start >= at {
            unique += &text[at..span.start];
            at = span.end;
        }
    }
    Some(unique + &text[at..])
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
        Box::<RawValue>::deserialize(deserializer).map(Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(RawJson::parse(text).unwrap().get(), expected);
    }

    #[test]
    fn of_doubled_keys_the_last_one_is_kept() {
        check(r#"{"a":1,"b":2}"#, r#"{"a":1,"b":2}"#);
        check(r#"{"a":1,"a":2}"#, r#"{"a":2}"#);
        check(r#"{"a":1, "b":2, "a":3}"#, r#"{ "b":2, "a":3}"#);
        check(r#"[{"k":{"z":1,"z":2,"z":3}}]"#, r#"[{"k":{"z":3}}]"#);
        check(r#"{"a":1,"\u0061":2}"#, r#"{"\u0061":2}"#);
        check(
            r#"{"a":{"b":1,"b":2},"a":{"c":1,"c":2}}"#,
            r#"{"a":{"c":2}}"#,
        );
        check(r#""{\"a\":1,\"a\":2}""#, r#""{\"a\":1,\"a\":2}""#);
    }
}
