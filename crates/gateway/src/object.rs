//! JSON objects read leniently: members in order, values as they are written.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// An object with its members in order, repeated keys included.
///
/// The servers judge and edit requests of any agent, which may repeat keys or
/// use keys that are not known yet. The values borrow from the text, so their
/// positions in it are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object<'a> {
    members: Vec<(String, &'a RawValue)>,
}

impl<'a> Object<'a> {
    /// Reads an object. Returns `None` if the text is not one.
    pub(crate) fn parse(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// Iterates over the members in order.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.members.iter().map(|(key, value)| (&**key, *value))
    }

    /// Returns the value of a key, the last one if the key is repeated, and
    /// `None` for null.
    pub(crate) fn get(&self, key: &str) -> Option<&'a RawValue> {
        let found = self.members.iter().rev().find(|(it, _)| it == key);
        found
            .map(|(_, value)| *value)
            .filter(|value| value.get() != "null")
    }

    /// Returns the value of a key if it is a string.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    /// Returns the items of the value of a key, or none if it is not an array.
    pub(crate) fn items(&self, key: &str) -> Vec<&'a RawValue> {
        let items = self.get(key).map(|value| items(value.get()));
        items.unwrap_or_default()
    }
}

/// Returns the items of an array, or none if the text is not an array.
pub(crate) fn items(json: &str) -> Vec<&RawValue> {
    serde_json::from_str(json).unwrap_or_default()
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }

        deserializer
            .deserialize_map(Members)
            .map(|members| Self { members })
    }
}
