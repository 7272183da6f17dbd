//! Values of a body, with their paths.
//!
//! ```text
//! root.list("messages") → nodes with the paths messages[0], messages[1], …
//! ```
//!
//! A member that is `null` counts as missing.

use serde_json::Value;

/// The maximum number of characters of a value in a violation.
const MAX_SHOWN_CHARS: usize = 60;

/// A value of a body, and its path.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    /// The value in the body.
    pub(super) value: &'a Value,
    /// The path from the body, such as `input[0].call_id`; empty for the body itself.
    pub(super) path: String,
}

impl<'a> Node<'a> {
    /// Creates the node of a whole body.
    pub(super) fn root(value: &'a Value) -> Self {
        Self {
            value,
            path: String::new(),
        }
    }

    /// Returns a member, unless it is null.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(Self {
            value,
            path: self.path_of(key),
        })
    }

    /// Returns a member that has either of two names: Google's servers take
    /// keys in camel case and in snake case.
    pub(super) fn either(&self, camel: &str, snake: &str) -> Option<Self> {
        self.get(camel).or_else(|| self.get(snake))
    }

    /// Returns the path of a member, whether it exists or not.
    pub(super) fn path_of(&self, key: &str) -> String {
        match self.path.as_str() {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }

    /// Returns the elements of a list with their paths; none if the value is not a list.
    pub(super) fn items(&self) -> impl Iterator<Item = Self> + use<'a> {
        let items = self.value.as_array().map_or(&[][..], Vec::as_slice);
        let path = self.path.clone();
        items.iter().enumerate().map(move |(index, value)| Self {
            value,
            path: format!("{path}[{index}]"),
        })
    }

    /// Returns the elements of the list under a key; none if there is no list.
    pub(super) fn list(&self, key: &str) -> impl Iterator<Item = Self> + use<'a> {
        let list = self.get(key);
        list.into_iter().flat_map(|list| list.items())
    }

    /// Returns the keys of an object, without those of null values; none if the value is
    /// not an object.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let members = self.value.as_object().into_iter().flatten();
        members
            .filter(|(_, value)| !value.is_null())
            .map(|(key, _)| key.as_str())
    }

    /// Returns the text, if the value is a string.
    pub(super) fn text(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    /// Returns the text under a key; empty if there is no string.
    pub(super) fn text_of(&self, key: &str) -> &'a str {
        self.value
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Returns the beginning of the value as JSON, with `…` after `MAX_SHOWN_CHARS`
    /// characters.
    pub(super) fn excerpt(&self) -> String {
        let json = self.value.to_string();
        match json.char_indices().nth(MAX_SHOWN_CHARS) {
            Some((end, _)) => format!("{}…", &json[..end]),
            None => json,
        }
    }
}
