//! Reading members that may have any value: one with another type counts as absent and does not
//! lose the rest of its object.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A value to read leniently. Each method reads one JSON type; a value without that type skips it.
pub(crate) trait Lenient: Sized {
    /// True for a figure: one that cannot be read must not pass for 0 without a word.
    const IS_FIGURE: bool = false;

    fn of_number(_: u64) -> Option<Self> {
        None
    }

    /// Returns the first figure in the value that could not be read, as `key: value`.
    fn unread(&self) -> Option<&str> {
        None
    }

    fn of_text(_: &str) -> Option<Self> {
        None
    }

    /// Returns the value after a later report on the same response.
    fn updated(self, later: Self) -> Self {
        later
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
    const IS_FIGURE: bool = true;

    fn of_number(number: u64) -> Option<Self> {
        Some(number)
    }

    fn updated(self, later: Self) -> Self {
        if later == 0 { self } else { later }
    }
}

impl<T: Lenient> Lenient for Option<T> {
    fn updated(self, later: Self) -> Self {
        match (self, later) {
            (Some(earlier), Some(later)) => Some(earlier.updated(later)),
            (earlier, later) => later.or(earlier),
        }
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
        while let Some(Maybe(item, _)) = items.next_element()? {
            all.extend(item);
        }
        Ok(Some(all))
    }

    fn unread(&self) -> Option<&str> {
        self.iter().find_map(T::unread)
    }
}

/// A value, or none if it has another type, and the value of a figure that is none.
pub(crate) struct Maybe<T>(pub(crate) Option<T>, pub(crate) Option<String>);

impl<T: Lenient> Maybe<T> {
    fn of(value: Option<T>, found: impl fmt::Display) -> Self {
        let unread = (T::IS_FIGURE && value.is_none()).then(|| found.to_string());
        Self(value, unread)
    }

    /// Returns the member's first figure that could not be read, as `key: value`.
    pub(crate) fn unread(&self, key: &str) -> Option<String> {
        let Self(value, own) = self;
        let below = || value.as_ref().and_then(T::unread).map(|it| format!("{key}.{it}"));
        own.as_ref().map(|found| format!("{key}: {found}")).or_else(below)
    }
}

impl<'de, T: Lenient> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyType(PhantomData))
    }
}

/// `None` for a value other than an object and for broken JSON.
pub(crate) fn object<'de, T: Lenient, D: Deserializer<'de>>(value: D) -> Option<T> {
    Maybe::deserialize(value).ok()?.0
}

struct AnyType<T>(PhantomData<T>);

impl<'de, T: Lenient> Visitor<'de> for AnyType<T> {
    type Value = Maybe<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, found: bool) -> Result<Self::Value, E> {
        Ok(Maybe::of(None, found))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Maybe::of(u64::try_from(number).ok().and_then(T::of_number), number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Maybe::of(T::of_number(number), number))
    }

    /// JavaScript and pandas write whole numbers as floats, too.
    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        let is_whole = number.fract() == 0.0 && (0.0..u64::MAX as f64).contains(&number);
        let value = is_whole.then_some(number as u64).and_then(T::of_number);
        Ok(Maybe::of(value, number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Maybe::of(T::of_text(text), format_args!("{text:?}")))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Maybe(None, None))
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Maybe(None, None))
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        value.deserialize_any(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Ok(Maybe::of(T::of_object(map)?, "an object"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        Ok(Maybe::of(T::of_array(items)?, "a list"))
    }
}

/// Declares a struct for a JSON object with optional members, each with its keys.
///
/// `Deserialize` takes any value; one that is no object has no members.
macro_rules! object {
    (
        $(#[$doc:meta])*
        pub struct $name:ident {
            $($(#[$member:meta])* pub $field:ident: $type:ty = $($key:literal)|+,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$member])* pub $field: Option<$type>,)*
            /// The first figure that is no whole number, as `key: value`; it counts as absent.
            pub unread: Option<String>,
        }

        impl $name {
            /// Takes over every figure that a later report on the same response has, and keeps the
            /// others: figures are totals, so that a 0 after a positive one says nothing.
            pub fn update(&mut self, later: Self) {
                let earlier = std::mem::take(self);
                *self = $crate::usage::lenient::Lenient::updated(earlier, later);
            }
        }

        impl $crate::usage::lenient::Lenient for $name {
            fn updated(self, later: Self) -> Self {
                use $crate::usage::lenient::Lenient;
                Self {
                    $($field: Lenient::updated(self.$field, later.$field),)*
                    unread: later.unread.or(self.unread),
                }
            }

            fn of_object<'de, A: serde::de::MapAccess<'de>>(
                mut map: A,
            ) -> Result<Option<Self>, A::Error> {
                let mut read = Self::default();
                while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                    match &*key {
                        $($($key)|+ => {
                            let value: $crate::usage::lenient::Maybe<$type> = map.next_value()?;
                            read.unread = read.unread.take().or_else(|| value.unread(&key));
                            read.$field = value.0;
                        })*
                        _ => {
                            map.next_value::<serde::de::IgnoredAny>()?;
                        }
                    }
                }
                Ok(Some(read))
            }

            fn unread(&self) -> Option<&str> {
                self.unread.as_deref()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                use $crate::usage::lenient::Maybe;
                Maybe::deserialize(deserializer).map(|Maybe(read, _)| read.unwrap_or_default())
            }
        }
    };
}
