//! Outlining a YAML text, to limit how much its aliases repeat.
//!
//! An alias is read each time it occurs, so a few kilobytes can become
//! gigabytes, which a caller that reads into its own types would not notice in
//! time.

use std::cell::Cell;
use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

/// What a value costs in addition to its text.
const VALUE_BYTES: usize = 16;

/// How many bytes to read per byte of text.
const MAX_FACTOR: usize = 16;
const FREE_BYTES: usize = 1024 * 1024;

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
    Data(serde_yaml::Error),
}

pub(crate) fn outline(yaml: &str) -> Result<Outline, Fault> {
    let left = Cell::new(Some(MAX_FACTOR * yaml.len() + FREE_BYTES));
    let walk = Walk { left: &left };
    let found = walk.deserialize(serde_yaml::Deserializer::from_str(yaml));
    found.map_err(|error| match left.get() {
        None => Fault::Repeats(error),
        Some(_) => Fault::Data(error),
    })
}

/// Returns true if the text may have aliases that repeat something.
pub(crate) fn may_repeat(yaml: &str) -> bool {
    yaml.contains('&') && yaml.contains('*')
}

#[derive(Clone, Copy)]
struct Walk<'a> {
    /// What is left; `None` once it is exceeded.
    left: &'a Cell<Option<usize>>,
}

impl Walk<'_> {
    /// Counts a value with this many bytes of text, and returns its outline.
    fn take<E: Error>(self, outline: Outline, bytes: usize) -> Result<Outline, E> {
        let left = self.left.get().and_then(|it| it.checked_sub(VALUE_BYTES + bytes));
        self.left.set(left);
        left.map(|_| outline).ok_or_else(|| E::custom("too much"))
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = Outline;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Outline, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Visits scalars that repeat no text.
macro_rules! scalars {
    ($($method:ident: $type:ty,)*) => {$(
        fn $method<E: Error>(self, _: $type) -> Result<Outline, E> {
            self.take(Outline::Other, 0)
        }
    )*};
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = Outline;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    scalars! {
        visit_bool: bool,
        visit_i64: i64,
        visit_i128: i128,
        visit_u64: u64,
        visit_u128: u128,
        visit_f64: f64,
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Outline, E> {
        self.take(Outline::Other, text.len())
    }

    fn visit_unit<E: Error>(self) -> Result<Outline, E> {
        self.take(Outline::Nothing, 0)
    }

    fn visit_none<E: Error>(self) -> Result<Outline, E> {
        self.visit_unit()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Outline, A::Error> {
        let outline = self.take(Outline::Other, 0)?;
        while items.next_element_seed(self)?.is_some() {}
        Ok(outline)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Outline, A::Error> {
        let outline = self.take(Outline::Mapping, 0)?;
        while entries.next_entry_seed(self, self)?.is_some() {}
        Ok(outline)
    }

    /// Visits a value with its own tag.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Outline, A::Error> {
        let (IgnoredAny, value) = tagged.variant()?;
        value.newtype_variant_seed(self)?;
        self.take(Outline::Other, 0)
    }
}
