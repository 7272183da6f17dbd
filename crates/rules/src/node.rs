//! Values of a body, with their paths.
//!
//! ```text
//! root.list("messages") → nodes with the paths messages[0], messages[1], …
//! ```
//!
//! A member that is `null` counts as missing.

use std::borrow::Cow;

use aside_json::Value;

/// The maximum number of characters of a value in a finding.
const MAX_SHOWN_CHARS: usize = 60;

/// A value of a body, and its path.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    /// The value in the body.
    pub(crate) value: Value<'a>,
    /// The path from the body, such as `input[0].call_id`; empty for the body itself.
    pub(crate) path: String,
}

impl<'a> Node<'a> {
    /// Creates the node of a whole body.
    pub(crate) fn root(value: Value<'a>) -> Self {
        Self {
            value,
            path: String::new(),
        }
    }

    /// Returns a member, unless it is null.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.given(key)?;
        Some(Self {
            value,
            path: self.path_of(key),
        })
    }

    /// Returns a member that has either of two names: Google's servers take
    /// keys in camel case and in snake case.
    pub(crate) fn either(&self, camel: &str, snake: &str) -> Option<Self> {
        self.get(camel).or_else(|| self.get(snake))
    }

    /// Returns the path of a member, whether it exists or not.
    pub(crate) fn path_of(&self, key: &str) -> String {
        match self.path.as_str() {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }

    /// Returns the elements of a list with their paths; none if the value is not a list.
    pub(crate) fn items(&self) -> impl Iterator<Item = Self> + use<'a> {
        let path = self.path.clone();
        let items = self.value.items().enumerate();
        items.map(move |(index, value)| Self {
            value,
            path: format!("{path}[{index}]"),
        })
    }

    /// Returns the elements of the list under a key; none if there is no list.
    pub(crate) fn list(&self, key: &str) -> impl Iterator<Item = Self> + use<'a> {
        let list = self.get(key);
        list.into_iter().flat_map(|list| list.items())
    }

    /// Returns the members of an object, without those of null values; none if the value is
    /// not an object.
    pub(crate) fn members(&self) -> impl Iterator<Item = Self> + use<'a, '_> {
        let members = self.value.members();
        let given = members.filter(|(_, value)| !value.is_null());
        given.map(|(key, value)| Self {
            value,
            path: self.path_of(&key),
        })
    }

    /// Returns the text, if the value is a string.
    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        self.value.text()
    }

    /// Returns the text under a key; empty if there is no string.
    pub(crate) fn text_of(&self, key: &str) -> Cow<'a, str> {
        self.value.text_of(key).unwrap_or_default()
    }

    /// Returns the beginning of the value as JSON, with `…` after `MAX_SHOWN_CHARS`
    /// characters.
    pub(crate) fn excerpt(&self) -> String {
        let json = self.value.raw();
        match json.char_indices().nth(MAX_SHOWN_CHARS) {
            Some((end, _)) => format!("{}…", &json[..end]),
            None => json.to_owned(),
        }
    }
}
