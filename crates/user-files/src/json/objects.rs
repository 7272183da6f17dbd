//! A deserializer around another one: it never reads an object from a list, and
//! knows the current value's position.
//!
//! serde's derived types call `deserialize_struct` and accept lists; here they
//! never receive one. A tagged enum calls `deserialize_any`, and is recognized
//! by its `expecting` message.
//!
//! ```text
//! {"skills": [{"name": 1}]}   →  the fault is at `skills[0].name`
//! [["a", 1]] for a struct     →  refused at `[0]`
//! ```
//!
//! serde would read the second text as a struct with the fields in order, and
//! so silently accept a list in the wrong position.

mod watched;

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Visitor};

use self::watched::Watched;
use super::place::Place;

/// Reads from `inner`, any deserializer or seed.
pub(super) struct Objects<'p, D> {
    pub(super) inner: D,
    /// Shared by all values in a text.
    pub(super) place: &'p Place,
    /// Where to store the name, if the value is a key.
    pub(super) key: Option<&'p RefCell<String>>,
}

impl<'p, D> Objects<'p, D> {
    pub(super) fn new(inner: D, place: &'p Place) -> Self {
        Self { inner, place, key: None }
    }

    /// Returns a visitor that accepts lists.
    fn watch<V>(&self, visitor: V) -> Watched<'p, V> {
        Watched::new(visitor, self.place).noting(self.key)
    }
}

/// Forwards methods that differ in name only.
macro_rules! deserialize {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $type,)*
            visitor: V,
        ) -> Result<V::Value, D::Error> {
            let visitor = self.watch(visitor);
            self.inner.$method($($argument,)* visitor)
        }
    )*};
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Objects<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        let Self { inner: seed, place, key } = self;
        seed.deserialize(Objects { inner, place, key })
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Objects<'_, D> {
    type Error = D::Error;

    deserialize! {
        deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
        deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64()
        deserialize_u128() deserialize_f32() deserialize_f64() deserialize_char() deserialize_str()
        deserialize_string() deserialize_bytes() deserialize_byte_buf() deserialize_option()
        deserialize_unit() deserialize_seq() deserialize_map() deserialize_identifier()
        deserialize_ignored_any()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(length: usize)
        deserialize_tuple_struct(name: &'static str, length: usize)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let visitor = if expects_tag(&visitor) {
            Watched::of_object(visitor, self.place)
        } else {
            self.watch(visitor)
        };
        self.inner.deserialize_any(visitor)
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
        self.place.choosing(variants, || self.inner.deserialize_enum(name, variants, visitor))
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// Returns true when reading a tagged enum, which is an object. It would accept
/// a list as well, with the tag first.
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
