//! A body's values, with their paths.
//!
//! ```text
//! root.list("messages") → nodes with the paths messages[0], messages[1], …
//! ```
//!
//! A member that is `null` counts as missing.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use aside_json::{Value, excerpt};

/// A value in a body, and its path, which is only written when a finding needs it.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) value: Value<'a>,
    place: Place<'a>,
}

/// Like [`aside_json::Path`], but owned. Siblings share their parent.
#[derive(Clone, Debug)]
enum Place<'a> {
    Root,
    Key(Rc<Place<'a>>, Cow<'a, str>),
    /// An element in a list.
    Index(Rc<Place<'a>>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
            Self::Key(parent, key) => f.write_str(&parent.at(key)),
        }
    }
}

impl Place<'_> {
    fn at(&self, key: &str) -> String {
        match self {
            Self::Root => key.to_owned(),
            _ => format!("{self}.{key}"),
        }
    }
}

impl<'a> Node<'a> {
    pub(crate) fn root(value: Value<'a>) -> Self {
        let place = Place::Root;
        Self { value, place }
    }

    /// Returns a member, unless it is null.
    pub(crate) fn get(&self, key: &'static str) -> Option<Self> {
        let value = self.value.given(key)?;
        let place = Place::Key(self.shared(), key.into());
        Some(Self { value, place })
    }

    fn shared(&self) -> Rc<Place<'a>> {
        Rc::new(self.place.clone())
    }

    /// Returns a member under either name: Google's servers take keys in camel case and in snake
    /// case.
    pub(crate) fn either(&self, camel: &'static str, snake: &'static str) -> Option<Self> {
        self.get(camel).or_else(|| self.get(snake))
    }

    /// Returns the path, such as `input[0].call_id`; empty for the body itself.
    pub(crate) fn path(&self) -> String {
        self.place.to_string()
    }

    /// Returns the path of a member, or of a value below it, whether it exists or not.
    pub(crate) fn at(&self, key: &str) -> String {
        self.place.at(key)
    }

    /// Returns a list's elements with their paths; none if the value is not a list.
    pub(crate) fn items(&self) -> impl Iterator<Item = Self> + use<'a> {
        let parent = self.shared();
        let items = self.value.items().enumerate();
        items.map(move |(index, value)| Self {
            value,
            place: Place::Index(Rc::clone(&parent), index),
        })
    }

    /// Returns the elements of the list under a key; none if there is no list.
    pub(crate) fn list(&self, key: &'static str) -> impl Iterator<Item = Self> + use<'a> {
        self.get(key).into_iter().flat_map(|list| list.items())
    }

    /// Returns an object's members, without null values; none if the value is not an object.
    pub(crate) fn members(&self) -> impl Iterator<Item = Self> + use<'a> {
        let parent = self.shared();
        let members = self.value.members();
        let given = members.filter(|(_, value)| !value.is_null());
        given.map(move |(key, value)| Self { value, place: Place::Key(Rc::clone(&parent), key) })
    }

    /// Returns the text, if the value is a string.
    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        self.value.text()
    }

    /// Returns the text under a key; empty if there is no string.
    pub(crate) fn text_of(&self, key: &str) -> Cow<'a, str> {
        self.value.text_of(key).unwrap_or_default()
    }

    /// Returns the beginning of the value as JSON.
    pub(crate) fn excerpt(&self) -> String {
        excerpt(self.value.raw())
    }
}
