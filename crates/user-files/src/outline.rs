//! What a YAML text says at large, and whether its aliases say it too often.
//!
//! An alias is read as often as it stands there. A few kilobytes can so become
//! gigabytes, and nobody who reads them in types of their own would notice
//! before.

use std::cell::Cell;
use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

/// What a value costs beside its text, in bytes.
const VALUE: usize = 16;

/// How much may be read for each byte of the text, and beside it.
const EACH: usize = 16;
const MORE: usize = 1024 * 1024;

/// What a text says at large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outline {
    Nothing,
    Mapping,
    Other,
}

/// Why there is no outline.
pub(crate) enum Fault {
    /// Aliases repeat too much; the error has the line.
    Repeats(serde_yaml::Error),
    /// It is no YAML.
    Data(serde_yaml::Error),
}

/// Reads a text without keeping anything.
pub(crate) fn outline(yaml: &str) -> Result<Outline, Fault> {
    let left = Cell::new(Some(EACH * yaml.len() + MORE));
    let walk = Walk { left: &left };
    let found = walk.deserialize(serde_yaml::Deserializer::from_str(yaml));
    found.map_err(|error| match left.get() {
        None => Fault::Repeats(error),
        Some(_) => Fault::Data(error),
    })
}

/// Whether there may be aliases that repeat something.
pub(crate) fn may_repeat(yaml: &str) -> bool {
    yaml.contains('&') && yaml.contains('*')
}

#[derive(Clone, Copy)]
struct Walk<'a> {
    /// How much may still be read; nothing once it was too much.
    left: &'a Cell<Option<usize>>,
}

impl Walk<'_> {
    fn take<E: Error>(self, bytes: usize) -> Result<(), E> {
        let left = self.left.get().and_then(|it| it.checked_sub(VALUE + bytes));
        self.left.set(left);
        left.map(|_| ()).ok_or_else(|| E::custom("too much"))
    }

    fn scalar<E: Error>(self, bytes: usize) -> Result<Outline, E> {
        self.take(bytes)?;
        Ok(Outline::Other)
    }

    fn nothing<E: Error>(self) -> Result<Outline, E> {
        self.take(0)?;
        Ok(Outline::Nothing)
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = Outline;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Outline, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = Outline;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Outline, E> {
        self.scalar(0)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Outline, E> {
        self.scalar(0)
    }

    fn visit_i128<E: Error>(self, _: i128) -> Result<Outline, E> {
        self.scalar(0)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Outline, E> {
        self.scalar(0)
    }

    fn visit_u128<E: Error>(self, _: u128) -> Result<Outline, E> {
        self.scalar(0)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Outline, E> {
        self.scalar(0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Outline, E> {
        self.scalar(text.len())
    }

    fn visit_unit<E: Error>(self) -> Result<Outline, E> {
        self.nothing()
    }

    fn visit_none<E: Error>(self) -> Result<Outline, E> {
        self.nothing()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Outline, A::Error> {
        self.take(0)?;
        while items.next_element_seed(self)?.is_some() {}
        Ok(Outline::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Outline, A::Error> {
        self.take(0)?;
        while entries.next_entry_seed(self, self)?.is_some() {}
        Ok(Outline::Mapping)
    }

    /// A value with a tag of its own.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Outline, A::Error> {
        self.take(0)?;
        let (IgnoredAny, value) = tagged.variant()?;
        value.newtype_variant_seed(self)?;
        Ok(Outline::Other)
    }
}
