//! Lenient JSON reading: strings with lone surrogates, members in order.
//!
//! Serde's own `String` fails on a lone surrogate such as `"\ud83d"`, which models and tools
//! produce when they cut a text within a character. A response must not be lost because of this.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use aside_messages::wire::{RawJson, without_surrogates};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
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

/// Copies a value, with every key once.
pub(crate) fn owned(value: &RawValue) -> RawJson {
    RawJson::from(value.to_owned()).with_keys_once()
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

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}
