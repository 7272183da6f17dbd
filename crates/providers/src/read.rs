//! Lenient JSON reading: strings with lone surrogates, members in order.
//!
//! Serde's own `String` fails on a lone surrogate such as `"\ud83d"`, which models and tools
//! produce when they cut a text within a character. A response must not be lost because of this.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use aside_json::unescape;
use aside_messages::wire::{RawJson, without_surrogates};
use memchr::memchr;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A string, borrowed if possible. A Rust string cannot hold a lone surrogate, so this becomes
/// U+FFFD.
#[derive(Debug, Default)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Strings;
        impl<'de> Visitor<'de> for Strings {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Text(match std::str::from_utf8(bytes) {
                    Ok(text) => Cow::Borrowed(text),
                    Err(_) => Cow::Owned(without_surrogates(bytes)),
                }))
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(match std::str::from_utf8(bytes) {
                    Ok(text) => text.to_owned(),
                    Err(_) => without_surrogates(bytes),
                })))
            }
        }
        deserializer.deserialize_bytes(Strings)
    }
}

/// Reads a delta: its escapes are resolved in one pass into a text of its own, while serde's strings
/// grow in a buffer and are copied.
pub(crate) fn delta<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Text<'a>>, D::Error> {
    let json = Option::<&RawValue>::deserialize(deserializer)?;
    json.map(|json| string(json.get()).map_err(D::Error::custom)).transpose()
}

/// Reads a string, or fails with serde's error.
pub(crate) fn string(json: &str) -> Result<Text<'_>, serde_json::Error> {
    match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(raw) if memchr(b'\\', raw.as_bytes()).is_some() => {
            Ok(Text(Cow::Owned(unescape(raw.as_bytes()))))
        }
        Some(raw) => Ok(Text(Cow::Borrowed(raw))),
        None => serde_json::from_str(json),
    }
}

impl Text<'_> {
    /// Returns the text, copied if it was borrowed.
    pub(crate) fn into_string(self) -> String {
        self.0.into_owned()
    }
}

/// Returns an optional string's text; `None` if it is missing or empty.
pub(crate) fn filled<'a>(text: &'a Option<Text<'_>>) -> Option<&'a str> {
    text.as_ref().map(|text| &*text.0).filter(|text| !text.is_empty())
}

/// Copies a value with [`RawJson::repairs`].
pub(crate) fn owned(value: &RawValue) -> RawJson {
    RawJson::from(value.to_owned()).repaired()
}

/// An object's members, in order.
///
/// A key that occurs twice is there twice. To keep a few of many, read them as [`RawValue`], and
/// those with [`owned`].
pub(crate) struct Members<V = RawJson>(pub(crate) Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Members<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Objects<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Objects<V> {
            type Value = Members<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<V>, A::Error> {
                let mut members = Vec::new();
                while let Some((Text(key), value)) = map.next_entry()? {
                    members.push((key.into_owned(), value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Objects(PhantomData))
    }
}

/// Sets a member: in its place if there is one, else at the end.
pub(crate) fn set<V>(members: &mut Vec<(String, V)>, key: &str, value: V) {
    match members.iter_mut().find(|(it, _)| it == key) {
        Some((_, old)) => *old = value,
        None => members.push((key.to_owned(), value)),
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    struct Both<'a> {
        #[serde(borrow, default, deserialize_with = "delta")]
        delta: Option<Text<'a>>,
        text: Option<Text<'a>>,
    }

    #[test]
    fn a_delta_is_read_as_every_other_text() {
        let check = |json: &str, expected: Option<&str>| {
            let json = format!(r#"{{"delta": {json} , "text": {json}}}"#);
            let both: Both<'_> = serde_json::from_str(&json).expect("JSON");
            for found in [both.delta, both.text] {
                assert_eq!(found.as_ref().map(|text| &*text.0), expected, "{json}");
            }
        };
        check("null", None);
        check(r#""""#, Some(""));
        check(r#""plain é""#, Some("plain é"));
        check(r#""a\n\"b\"\\ \u00e9\/\ud83d\ude00""#, Some("a\n\"b\"\\ é/😀"));
        check(r#""cut \ud83d""#, Some("cut \u{fffd}"));
    }

    #[test]
    fn a_delta_fails_as_every_other_text() {
        for json in ["1", "true", "[1]", r#"{"a":"b"}"#, r#""\x""#, r#""\u12""#, r#""open"#] {
            let error = |key: &str| {
                let json = format!(r#"{{"{key}":{json}}}"#);
                let error = serde_json::from_str::<Both<'_>>(&json).expect_err(&json).to_string();
                error.split(" at line ").next().unwrap_or_default().to_owned()
            };
            assert_eq!(error("delta"), error("text"), "{json}");
        }
        let missing: Both<'_> = serde_json::from_str("{}").expect("JSON");
        assert!(missing.delta.is_none());
    }
}
