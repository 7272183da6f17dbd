//! A JSON object to take members out of, one by one, so that the remaining ones can be reported.
//!
//! This is how the import reports every value without a counterpart: a reader takes the members
//! that it knows, and reports the [`rest`](Object::rest). A null member counts as missing.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::mem;

use aside_json::{Kind, Value};
use aside_messages::wire::RawJson;
use serde::Deserialize;

use super::{ImportError, Result};
use crate::loss::ConversionLoss;

/// What the objects of a text report.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// All values without a counterpart.
    pub(super) losses: RefCell<Vec<ConversionLoss>>,
    /// The parameters of the Messages API, and the paths that they were read from.
    pub(super) parameters: RefCell<Vec<(&'static str, String)>>,
}

/// An object in the imported JSON, and where it is.
#[derive(Debug)]
pub(super) struct Object<'t> {
    /// The object's JSON path, such as `messages[3].tool_calls[0]`; empty for the body.
    path: String,
    /// The members not taken yet, in text order.
    members: Vec<(Cow<'t, str>, Value<'t>)>,
    /// The keys of the others, as they are spelled.
    taken: Vec<Cow<'t, str>>,
    /// How its keys, and those in its inner objects, are spelled.
    spelling: Spelling,
    /// Shared with all objects in the text.
    reports: &'t Reports,
}

/// How keys are spelled.
///
/// Google's servers accept `functionDeclarations` and `function_declarations` alike; OpenAI's
/// accept one spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// As the wire's documentation spells them.
    Exact,
    /// A camel case key may also be in snake case, as Google's servers allow.
    CamelOrSnake,
}

impl<'t> Object<'t> {
    /// Reads a body, or turns a history into a body with nothing else.
    ///
    /// ```text
    /// {"messages":[…],"model":"m"}  →  the object itself, a body
    /// […]                           →  {"messages":[…]}, a history (with the key `messages`)
    /// ```
    pub(super) fn body_or_history(
        root: Value<'t>,
        key: &'static str,
        spelling: Spelling,
        reports: &'t Reports,
    ) -> Result<Self> {
        let mut body = Self {
            path: String::new(),
            members: vec![(Cow::Borrowed(key), root)],
            taken: Vec::new(),
            spelling,
            reports,
        };
        if root.kind() != Kind::Array {
            body = body.inner(root, "")?;
        }
        Ok(body)
    }

    /// Reads an object within this one, at a path.
    ///
    /// # Errors
    /// When the value is not an object.
    pub(super) fn inner(&self, value: Value<'t>, path: impl fmt::Display) -> Result<Self> {
        let path = path.to_string();
        if value.kind() != Kind::Object {
            return Err(ImportError::shape(&path, "an object"));
        }
        Ok(Self { path, members: value.members().collect(), taken: Vec::new(), ..*self })
    }

    /// Reads a list of objects at a path; `expected` names its elements in the error.
    ///
    /// # Errors
    /// When the value is not a list; each element on its own, when it is not an object.
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

    /// Returns the object's path.
    pub(super) fn place(&self) -> &str {
        &self.path
    }

    /// Returns a member's path, with its key as it is spelled.
    pub(super) fn path(&self, key: &str) -> String {
        let key = self.spelled(key).unwrap_or(Cow::Borrowed(key));
        match self.path.as_str() {
            "" => key.into_owned(),
            path => format!("{path}.{key}"),
        }
    }

    /// Reports which parameter of the Messages API each member was read into, if it is there.
    pub(super) fn read_into(&self, parameters: &[(&str, &'static str)]) {
        for (key, parameter) in parameters {
            if self.spelled(key).is_some() {
                self.reports.parameters.borrow_mut().push((parameter, self.path(key)));
            }
        }
    }

    /// Returns the key of a member that was taken out, as the text has it.
    fn spelled<'k>(&self, key: &'k str) -> Option<Cow<'k, str>> {
        let is_taken = |key: &Cow<'_, str>| self.taken.iter().any(|it| it == key);
        let snake = || match self.spelling {
            Spelling::Exact => None,
            Spelling::CamelOrSnake => Some(Cow::Owned(snake_case(key))),
        };
        Some(Cow::Borrowed(key)).filter(is_taken).or_else(|| snake().filter(is_taken))
    }

    /// Takes out a member, unless it is null.
    ///
    /// If a key occurs twice, this takes the last value and reports the others.
    pub(super) fn take(&mut self, key: &str) -> Option<Value<'t>> {
        let find = |key: &str| self.members.iter().rposition(|(name, _)| name == key);
        let found = match (find(key), self.spelling) {
            (None, Spelling::CamelOrSnake) => find(&snake_case(key))?,
            (found, _) => found?,
        };
        let (key, value) = self.members.remove(found);
        let before = self.members.len();
        self.members.retain(|(name, _)| *name != key);
        if self.members.len() < before {
            self.lost(self.path(&key), "written twice: the last one is kept");
        }
        self.taken.push(key);
        (!value.is_null()).then_some(value)
    }

    /// Takes out a value as it is written, but for [`Object::repaired`].
    pub(super) fn json(&mut self, key: &str) -> Option<RawJson> {
        let value = RawJson::parse(self.take(key)?.raw()).ok()?;
        Some(self.repaired(key, value))
    }

    /// Returns a string, but does not take it out.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        let member = self.members.iter().rfind(|(name, _)| name == key);
        member.and_then(|(_, value)| value.text()).map(Cow::into_owned)
    }

    /// Takes out a string.
    ///
    /// # Errors
    /// When the member is there and is neither a string nor null. The other typed readers below do
    /// the same.
    pub(super) fn string(&mut self, key: &str) -> Result<Option<String>> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let text = value.text().map(Cow::into_owned);
        let not_text = || ImportError::shape(self.path(key), "a string");
        text.ok_or_else(not_text).map(Some)
    }

    /// Takes out a string that has to be there.
    pub(super) fn required(&mut self, key: &str) -> Result<String> {
        let text = self.string(key)?;
        text.ok_or_else(|| ImportError::shape(self.path(key), "a string"))
    }

    /// Takes out a value of another type, which `expected` names in the error, such as "a boolean".
    pub(super) fn value<T: for<'de> Deserialize<'de>>(
        &mut self,
        key: &str,
        expected: &'static str,
    ) -> Result<Option<T>> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let value = serde_json::from_str(value.raw());
        value.map(Some).map_err(|_| ImportError::shape(self.path(key), expected))
    }

    /// Takes out a whole number. Another value stays, to be reported.
    pub(super) fn whole_number(&mut self, key: &str) -> Option<u64> {
        let (_, value) = self.members.iter().rfind(|(name, _)| name == key)?;
        let number = value.raw().parse().ok()?;
        self.take(key);
        Some(number)
    }

    /// Takes out an object.
    pub(super) fn object(&mut self, key: &str) -> Result<Option<Self>> {
        let value = self.take(key);
        let object = value.map(|value| self.inner(value, self.path(key)));
        object.transpose()
    }

    /// Takes out a list of objects; if it is missing, the list is empty.
    pub(super) fn objects(&mut self, key: &str) -> Result<Vec<Self>> {
        let Some(list) = self.take(key) else {
            return Ok(Vec::new());
        };
        self.list(list, &self.path(key), "an array")?.collect()
    }

    /// Returns the members not taken yet as they are written, to compare them.
    pub(super) fn written(&self) -> String {
        self.members.iter().flat_map(|(key, value)| [&**key, value.raw()]).collect()
    }

    /// Returns true if no member is left.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Reports the whole object, so that its members are not reported as well.
    pub(super) fn drop_whole(&mut self, what: &'static str) {
        self.members.clear();
        self.lost(self.place(), what);
    }

    /// Reports the whole object as a value that the form does not have.
    pub(super) fn lose_whole(&mut self) {
        self.members.clear();
        self.lose();
    }

    /// Reports a value, usually one in this object.
    pub(super) fn lost(&self, path: impl fmt::Display, what: impl Into<Cow<'static, str>>) {
        let loss = ConversionLoss::new(path, what);
        self.reports.losses.borrow_mut().push(loss);
    }

    /// Returns the value under this key with [`RawJson::repairs`], and reports these.
    pub(super) fn repaired(&self, key: &str, value: RawJson) -> RawJson {
        let Some((repaired, repairs)) = value.repairs() else {
            return value;
        };
        for repair in repairs {
            let separator = if repair.path().is_empty() { "" } else { ": " };
            let place = format!("{}{separator}{}", self.path(key), repair.path());
            self.lost(place, repair.what());
        }
        repaired
    }

    /// Takes out all other members, with their JSON paths and in text order. Null members are
    /// included.
    pub(super) fn rest(&mut self) -> Vec<(String, Value<'t>)> {
        let members = mem::take(&mut self.members).into_iter();
        members.map(|(key, value)| (self.path(&key), value)).collect()
    }
}

/// Converts a camel case key to snake case.
///
/// `functionDeclarations` becomes `function_declarations`. Only ASCII letters change.
pub(super) fn snake_case(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
