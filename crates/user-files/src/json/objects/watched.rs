//! A visitor that follows the position in a value.

mod access;

use std::cell::RefCell;
use std::fmt;

use serde::de::{Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Unexpected, Visitor};

use self::access::{Items, Keys, Variants};
use super::Objects;
use crate::json::place::Place;

/// Records each value's position and forwards the value to `visitor`.
pub(super) struct Watched<'p, V> {
    visitor: V,
    place: &'p Place,
    /// Where to store the name, if the value is a key.
    key: Option<&'p RefCell<String>>,
    /// True if a list is an error: `expected an object, found a list`.
    refuses_lists: bool,
}

impl<'p, V> Watched<'p, V> {
    pub(super) fn new(visitor: V, place: &'p Place) -> Self {
        Self { visitor, place, key: None, refuses_lists: false }
    }

    /// Creates a visitor for a struct or a tagged enum, which refuses lists.
    pub(super) fn of_object(visitor: V, place: &'p Place) -> Self {
        Self { refuses_lists: true, ..Self::new(visitor, place) }
    }

    /// Sets where to store the name of a key.
    pub(super) fn noting(self, key: Option<&'p RefCell<String>>) -> Self {
        Self { key, ..self }
    }

    /// Stores a name, if the value is a key.
    fn note(&self, name: &str) {
        if let Some(key) = self.key {
            name.clone_into(&mut key.borrow_mut());
        }
    }
}

/// Forwards values. Of other types, such as `i8` and `String`, JSON has none, and serde passes them
/// to these methods.
macro_rules! visit {
    ($($method:ident: $type:ty,)*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.visitor.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Watched<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    visit! {
        visit_bool: bool,
        visit_i64: i64,
        visit_i128: i128,
        visit_u64: u64,
        visit_u128: u128,
        visit_f64: f64,
        visit_bytes: &[u8],
        visit_borrowed_bytes: &'de [u8],
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<V::Value, E> {
        self.note(value);
        self.visitor.visit_str(value)
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<V::Value, E> {
        self.note(value);
        self.visitor.visit_borrowed_str(value)
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_some(Objects::new(inner, self.place))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let inner = Objects::new(inner, self.place);
        self.visitor.visit_newtype_struct(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        if self.refuses_lists {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        self.visitor.visit_seq(Items { inner, place: self.place, index: 0 })
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(Keys { inner, place: self.place, key: RefCell::default() })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_enum(Variants { inner, place: self.place })
    }
}
