//! A JSON object whose members are removed one by one, so that the remaining
//! ones can be reported.
//!
//! This is how the import keeps its promise that every value without a counterpart is reported: a
//! reader takes the members that it knows, and [`rest`](Object::rest) is reported. A member that is
//! null counts as missing.

use std::borrow::Cow;
use std::fmt;

use aside_json::{Kind, Value};
use aside_messages::wire::RawJson;
use serde::Deserialize;

use super::ImportError;

/// An object of the JSON that is imported, with its place in it.
#[derive(Debug, Default)]
pub(super) struct Object<'t> {
    /// The JSON path of the object, such as `messages[3].tool_calls[0]`; empty for the body.
    path: String,
    /// The members that were not taken, in the order of the text.
    members: Vec<(Cow<'t, str>, Value<'t>)>,
    /// True for a whole request body; false for a history and for every inner object.
    is_body: bool,
    /// The spelling of its keys, and of those of its inner objects.
    spelling: Spelling,
}

/// The spelling of keys.
///
/// Google's servers accept `functionDeclarations` and `function_declarations` alike; OpenAI's
/// accept one spelling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Spelling {
    /// As in the documentation of the wire.
    #[default]
    Exact,
    /// A key in camel case may also be in snake case, as at Google's servers.
    CamelOrSnake,
}

impl<'t> Object<'t> {
    /// Reads a body, or a history as a body that has only that.
    ///
    /// ```text
    /// {"messages":[…],"model":"m"}  →  the object itself, a body
    /// […]                           →  {"messages":[…]}, a history (with the key `messages`)
    /// ```
    pub(super) fn body_or_history(root: Value<'t>, key: &'static str) -> Result<Self, ImportError> {
        if root.kind() == Kind::Array {
            return Ok(Self {
                members: vec![(Cow::Borrowed(key), root)],
                ..Self::default()
            });
        }
        let mut body = Self::read(root, "")?;
        body.is_body = true;
        Ok(body)
    }

    /// Reads an object at a path.
    ///
    /// # Errors
    /// If the value is no object.
    pub(super) fn read(value: Value<'t>, path: impl fmt::Display) -> Result<Self, ImportError> {
        let path = path.to_string();
        if value.kind() != Kind::Object {
            return Err(ImportError::shape(&path, "an object"));
        }
        Ok(Self {
            path,
            members: value.members().collect(),
            ..Self::default()
        })
    }

    /// Reads the objects of a list at a path; `expected` names its elements in
    /// the error.
    ///
    /// # Errors
    /// If the value is no list; each element on its own, if it is no object.
    pub(super) fn list(
        value: Value<'t>,
        path: &str,
        expected: &'static str,
    ) -> Result<impl Iterator<Item = Result<Self, ImportError>>, ImportError> {
        if value.kind() != Kind::Array {
            return Err(ImportError::shape(path, expected));
        }
        let items = value.items().enumerate();
        Ok(items.map(move |(index, item)| Self::read(item, format_args!("{path}[{index}]"))))
    }

    /// Returns the object with keys in camel case that may also be in snake
    /// case. The same holds for the objects that are taken out of it.
    pub(super) fn in_either_case(mut self) -> Self {
        self.spelling = Spelling::CamelOrSnake;
        self
    }

    /// Returns true if the text was a whole body.
    pub(super) fn is_body(&self) -> bool {
        self.is_body
    }

    /// Returns the path of the object.
    pub(super) fn place(&self) -> &str {
        &self.path
    }

    /// Returns the path of a member.
    pub(super) fn path(&self, key: &str) -> String {
        match self.path.as_str() {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }

    /// Takes a member out, unless it is null.
    ///
    /// Of a key that occurs twice, the last value is taken and the first is reported.
    pub(super) fn take(&mut self, key: &str) -> Option<Value<'t>> {
        let find = |key: &str| self.members.iter().rposition(|(name, _)| name == key);
        let found = match (find(key), self.spelling) {
            (None, Spelling::CamelOrSnake) => find(&snake_case(key))?,
            (found, _) => found?,
        };
        let (_, value) = self.members.remove(found);
        (!value.is_null()).then_some(value)
    }

    /// Takes a value out as it is written.
    pub(super) fn json(&mut self, key: &str) -> Option<RawJson> {
        RawJson::parse(self.take(key)?.raw()).ok()
    }

    /// Takes a string out.
    ///
    /// # Errors
    /// If the member is there and is neither a string nor null. The same holds for the other
    /// readers of a type below.
    pub(super) fn string(&mut self, key: &str) -> Result<Option<String>, ImportError> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let text = value.text().map(Cow::into_owned);
        let not_text = || ImportError::shape(self.path(key), "a string");
        text.ok_or_else(not_text).map(Some)
    }

    /// Takes a string out that has to be there.
    pub(super) fn required(&mut self, key: &str) -> Result<String, ImportError> {
        match self.string(key)? {
            Some(text) => Ok(text),
            None => Err(ImportError::shape(self.path(key), "a string")),
        }
    }

    /// Takes a value of another type out.
    ///
    /// `expected` names the type in the error, such as "a boolean".
    pub(super) fn value<T: for<'de> Deserialize<'de>>(
        &mut self,
        key: &str,
        expected: &'static str,
    ) -> Result<Option<T>, ImportError> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let value = serde_json::from_str(value.raw());
        value
            .map(Some)
            .map_err(|_| ImportError::shape(self.path(key), expected))
    }

    /// Takes an object out.
    pub(super) fn object(&mut self, key: &str) -> Result<Option<Self>, ImportError> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        self.inner(value, self.path(key)).map(Some)
    }

    /// Takes a list of objects out; one that is not there is empty.
    pub(super) fn objects(&mut self, key: &str) -> Result<Vec<Self>, ImportError> {
        let Some(list) = self.take(key) else {
            return Ok(Vec::new());
        };
        let spelling = self.spelling;
        let in_spelling = |it: Result<Self, _>| it.map(|it| Self { spelling, ..it });
        let path = self.path(key);
        let objects = Self::list(list, &path, "an array")?;
        objects.map(in_spelling).collect()
    }

    /// Reads an object within this one, whose keys have the same spelling.
    fn inner(&self, value: Value<'t>, path: String) -> Result<Self, ImportError> {
        let spelling = self.spelling;
        Ok(Self {
            spelling,
            ..Self::read(value, path)?
        })
    }

    /// Returns true if no member is left.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Takes all members out.
    ///
    /// An object that is reported as a whole is cleared, so that its members are not reported as
    /// well.
    pub(super) fn clear(&mut self) {
        self.members.clear();
    }

    /// Returns the members that were not taken.
    ///
    /// Each comes with its JSON path, in the order of the text; members that are null are included.
    pub(super) fn rest(self) -> Vec<(String, Value<'t>)> {
        let path = |key: Cow<'_, str>| match self.path.as_str() {
            "" => key.into_owned(),
            path => format!("{path}.{key}"),
        };
        let members = self.members.into_iter();
        members.map(|(key, value)| (path(key), value)).collect()
    }
}

/// Returns a key in camel case as it is in snake case.
///
/// `functionDeclarations` becomes `function_declarations`. Only ASCII letters are changed.
fn snake_case(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
