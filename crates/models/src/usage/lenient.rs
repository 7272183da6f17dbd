//! Reading members that may have any value: one with another type counts as absent and does not
//! lose the rest of its object.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A value to read leniently. Each method reads one JSON type; a value without that type skips it.
pub(crate) trait Lenient: Sized {
    fn of_number(_: u64) -> Option<Self> {
        None
    }

    fn of_text(_: &str) -> Option<Self> {
        None
    }

    fn of_object<'de, A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn of_array<'de, A: SeqAccess<'de>>(mut items: A) -> Result<Option<Self>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

impl Lenient for u64 {
    fn of_number(number: u64) -> Option<Self> {
        Some(number)
    }
}

impl Lenient for String {
    fn of_text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl<T: Lenient> Lenient for Vec<T> {
    fn of_array<'de, A: SeqAccess<'de>>(mut items: A) -> Result<Option<Self>, A::Error> {
        let mut all = Self::new();
        while let Some(Maybe(item)) = items.next_element()? {
            all.extend(item);
        }
        Ok(Some(all))
    }
}

/// A value, or none if it has another type.
pub(crate) struct Maybe<T>(pub(crate) Option<T>);

impl<'de, T: Lenient> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyType(PhantomData)).map(Self)
    }
}

/// `None` for a value other than an object and for broken JSON.
pub(crate) fn object<'de, T: Lenient, D: Deserializer<'de>>(value: D) -> Option<T> {
    Maybe::deserialize(value).ok()?.0
}

struct AnyType<T>(PhantomData<T>);

impl<'de, T: Lenient> Visitor<'de> for AnyType<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(u64::try_from(number).ok().and_then(T::of_number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(T::of_number(number))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(T::of_text(text))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        value.deserialize_any(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::of_object(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        T::of_array(items)
    }
}

/// Declares a struct for a JSON object with optional members, each with its key.
///
/// `Deserialize` takes any value; one that is no object has no members.
macro_rules! object {
    (
        $(#[$doc:meta])*
        pub struct $name:ident {
            $($(#[$member:meta])* pub $field:ident: $type:ty = $key:literal,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$member])* pub $field: Option<$type>,)*
        }

        impl $crate::usage::lenient::Lenient for $name {
            fn of_object<'de, A: serde::de::MapAccess<'de>>(
                mut map: A,
            ) -> Result<Option<Self>, A::Error> {
                let mut read = Self::default();
                while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                    match &*key {
                        $($key => {
                            let value: $crate::usage::lenient::Maybe<$type> = map.next_value()?;
                            read.$field = value.0;
                        })*
                        _ => {
                            map.next_value::<serde::de::IgnoredAny>()?;
                        }
                    }
                }
                Ok(Some(read))
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                use $crate::usage::lenient::Maybe;
                Maybe::deserialize(deserializer).map(|Maybe(read)| read.unwrap_or_default())
            }
        }
    };
}
