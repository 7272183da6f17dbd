//! A deserializer around another one: an object is never read from a list, and
//! the place of what is read is known.
//!
//! serde's derived types are asked for by `deserialize_struct` and take lists
//! for themselves; here they are not offered any. A tagged enum asks for
//! anything, and is known by what it says that it expects.

use std::cell::RefCell;
use std::fmt;

use serde::de::{Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Unexpected, Visitor};

use super::access::{Items, Keys, Variants};
use super::place::Place;

/// Reads from `inner`, whatever that reads from.
pub(super) struct Objects<'p, D> {
    inner: D,
    place: &'p Place,
    /// Where the name of a key goes, if it is a key that is read.
    key: Option<&'p RefCell<String>>,
}

impl<'p, D> Objects<'p, D> {
    pub(super) fn new(inner: D, place: &'p Place) -> Self {
        let key = None;
        Self { inner, place, key }
    }

    /// Reads a key, and notes its name.
    pub(super) fn of_key(inner: D, place: &'p Place, name: &'p RefCell<String>) -> Self {
        let key = Some(name);
        Self { inner, place, key }
    }

    fn watch<V>(&self, visitor: V) -> Watched<'p, V> {
        Watched {
            key: self.key,
            ..Watched::new(visitor, self.place)
        }
    }
}

/// Passes methods on that differ in their names only.
macro_rules! deserialize {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            let visitor = self.watch(visitor);
            self.inner.$method(visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Objects<'_, D> {
    type Error = D::Error;

    deserialize! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_i128 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_u128 deserialize_f32 deserialize_f64 deserialize_char deserialize_str
        deserialize_string deserialize_bytes deserialize_byte_buf deserialize_option
        deserialize_unit deserialize_seq deserialize_map deserialize_identifier
        deserialize_ignored_any
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let visitor = match expects_tag(&visitor) {
            true => Watched::of_object(visitor, self.place),
            false => self.watch(visitor),
        };
        self.inner.deserialize_any(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.watch(visitor);
        self.inner.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.watch(visitor);
        self.inner.deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.watch(visitor);
        self.inner.deserialize_tuple(length, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.watch(visitor);
        self.inner.deserialize_tuple_struct(name, length, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = Watched::of_object(visitor, self.place);
        self.inner.deserialize_struct(name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.watch(visitor);
        self.place.choosing(variants, || {
            self.inner.deserialize_enum(name, variants, visitor)
        })
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// Whether a tagged enum is read, which is an object. It would take a list as
/// well, with the tag first.
fn expects_tag<'de, V: Visitor<'de>>(visitor: &V) -> bool {
    struct Expected<'v, V>(&'v V);

    impl<'de, V: Visitor<'de>> fmt::Display for Expected<'_, V> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.expecting(f)
        }
    }

    let expected = Expected(visitor).to_string();
    expected.starts_with("internally tagged enum ")
}

/// Whether a list may stand for what is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lists {
    Taken,
    Refused,
}

/// Takes what is read, and passes it on to `visitor`.
pub(super) struct Watched<'p, V> {
    visitor: V,
    place: &'p Place,
    key: Option<&'p RefCell<String>>,
    lists: Lists,
}

impl<'p, V> Watched<'p, V> {
    pub(super) fn new(visitor: V, place: &'p Place) -> Self {
        Self {
            visitor,
            place,
            key: None,
            lists: Lists::Taken,
        }
    }

    pub(super) fn of_object(visitor: V, place: &'p Place) -> Self {
        Self {
            lists: Lists::Refused,
            ..Self::new(visitor, place)
        }
    }

    fn note(&self, name: &str) {
        if let Some(key) = self.key {
            name.clone_into(&mut key.borrow_mut());
        }
    }
}

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
        visit_i8: i8,
        visit_i16: i16,
        visit_i32: i32,
        visit_i64: i64,
        visit_i128: i128,
        visit_u8: u8,
        visit_u16: u16,
        visit_u32: u32,
        visit_u64: u64,
        visit_u128: u128,
        visit_f32: f32,
        visit_f64: f64,
        visit_char: char,
        visit_bytes: &[u8],
        visit_borrowed_bytes: &'de [u8],
        visit_byte_buf: Vec<u8>,
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<V::Value, E> {
        self.note(value);
        self.visitor.visit_str(value)
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<V::Value, E> {
        self.note(value);
        self.visitor.visit_borrowed_str(value)
    }

    fn visit_string<E: Error>(self, value: String) -> Result<V::Value, E> {
        self.note(&value);
        self.visitor.visit_string(value)
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
        if self.lists == Lists::Refused {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        self.visitor.visit_seq(Items::new(inner, self.place))
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(Keys::new(inner, self.place))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_enum(Variants::new(inner, self.place))
    }
}
