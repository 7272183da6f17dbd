//! A JSON object whose members are removed one by one, so that the remaining
//! ones can be reported.
//!
//! This is how the import keeps its promise that every value without a counterpart is reported: a
//! reader takes the members that it knows, and [`rest`](Object::rest) is reported. A member that is
//! null counts as missing.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::mem;

use aside_json::{Kind, Value};
use aside_messages::wire::RawJson;
use serde::Deserialize;

use super::{ImportError, Result};
use crate::loss::ConversionLoss;

/// The values without a counterpart, of a whole text.
pub(super) type Losses = RefCell<Vec<ConversionLoss>>;

/// An object of the JSON that is imported, with its place in it.
#[derive(Debug)]
pub(super) struct Object<'t> {
    /// The JSON path of the object, such as `messages[3].tool_calls[0]`; empty for the body.
    path: String,
    /// The members that were not taken, in the order of the text.
    members: Vec<(Cow<'t, str>, Value<'t>)>,
    /// The spelling of its keys, and of those of its inner objects.
    spelling: Spelling,
    /// Shared with all objects of the text.
    losses: &'t Losses,
}

/// The spelling of keys.
///
/// Google's servers accept `functionDeclarations` and `function_declarations` alike; OpenAI's
/// accept one spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// As in the documentation of the wire.
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
    pub(super) fn body_or_history(
        root: Value<'t>,
        key: &'static str,
        spelling: Spelling,
        losses: &'t Losses,
    ) -> Result<Self> {
        let mut body = Self {
            path: String::new(),
            members: vec![(Cow::Borrowed(key), root)],
            spelling,
            losses,
        };
        if root.kind() != Kind::Array {
            body = body.inner(root, "")?;
        }
        Ok(body)
    }

    /// Reads an object within this one, at a path.
    ///
    /// # Errors
    /// If the value is no object.
    pub(super) fn inner(&self, value: Value<'t>, path: impl fmt::Display) -> Result<Self> {
        let path = path.to_string();
        if value.kind() != Kind::Object {
            return Err(ImportError::shape(&path, "an object"));
        }
        Ok(Self {
            path,
            members: value.members().collect(),
            ..*self
        })
    }

    /// Reads the objects of a list at a path; `expected` names its elements in
    /// the error.
    ///
    /// # Errors
    /// If the value is no list; each element on its own, if it is no object.
    pub(super) fn list(
        &self,
        value: Value<'t>,
        path: &str,
        expected: &'static str,
    ) -> Result<impl Iterator<Item = Result<Self>>> {
        if value.kind() != Kind::Array {
            return Err(ImportError::shape(path, expected));
        }
        let items = value.items().enumerate();
        Ok(items.map(move |(index, item)| self.inner(item, format_args!("{path}[{index}]"))))
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

    /// Returns a string without taking it out.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        let member = self.members.iter().rfind(|(name, _)| name == key);
        member
            .and_then(|(_, value)| value.text())
            .map(Cow::into_owned)
    }

    /// Takes a string out.
    ///
    /// # Errors
    /// If the member is there and is neither a string nor null. The same holds for the other
    /// readers of a type below.
    pub(super) fn string(&mut self, key: &str) -> Result<Option<String>> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let text = value.text().map(Cow::into_owned);
        let not_text = || ImportError::shape(self.path(key), "a string");
        text.ok_or_else(not_text).map(Some)
    }

    /// Takes a string out that has to be there.
    pub(super) fn required(&mut self, key: &str) -> Result<String> {
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
    ) -> Result<Option<T>> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let value = serde_json::from_str(value.raw());
        value
            .map(Some)
            .map_err(|_| ImportError::shape(self.path(key), expected))
    }

    /// Takes an object out.
    pub(super) fn object(&mut self, key: &str) -> Result<Option<Self>> {
        let value = self.take(key);
        let object = value.map(|value| self.inner(value, self.path(key)));
        object.transpose()
    }

    /// Takes a list of objects out; one that is not there is empty.
    pub(super) fn objects(&mut self, key: &str) -> Result<Vec<Self>> {
        let Some(list) = self.take(key) else {
            return Ok(Vec::new());
        };
        self.list(list, &self.path(key), "an array")?.collect()
    }

    /// Returns true if no member is left.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Reports the object as a whole, so that its members are not reported as well.
    pub(super) fn drop_whole(&mut self, what: &'static str) {
        self.members.clear();
        self.lost(self.place(), what);
    }

    /// Reports the object as a whole, as a value that the form does not have.
    pub(super) fn lose_whole(&mut self) {
        self.members.clear();
        self.lose();
    }

    /// Reports a value, which is usually in the object.
    pub(super) fn lost(&self, path: impl fmt::Display, what: impl Into<Cow<'static, str>>) {
        let loss = ConversionLoss::new(path, what);
        self.losses.borrow_mut().push(loss);
    }

    /// Returns the input of a call with every key once, and reports the doubled ones.
    pub(super) fn keys_once(&self, key: &str, input: RawJson) -> RawJson {
        let Some((once, paths)) = input.keys_once() else {
            return input;
        };
        for path in paths {
            let place = format!("{}: {path}", self.path(key));
            self.lost(place, "written twice: the last one is kept");
        }
        once
    }

    /// Takes the other members out.
    ///
    /// Each comes with its JSON path, in the order of the text; members that are null are included.
    pub(super) fn rest(&mut self) -> Vec<(String, Value<'t>)> {
        let members = mem::take(&mut self.members).into_iter();
        members
            .map(|(key, value)| (self.path(&key), value))
            .collect()
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
