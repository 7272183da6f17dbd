//! Lists whose items have different names, and texts that are not empty.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor,
};

/// An item with a name.
pub(super) trait Named {
    /// What its name has to be.
    const EXPECTED: &str;

    fn name(&self) -> &str;
}

/// Reads a list of items with different names, or null. An error has the second item's line.
pub(super) fn items<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Named,
{
    Ok(Option::<Items<T>>::deserialize(deserializer)?.map(|Items(items)| items))
}

struct Items<T>(Vec<T>);

impl<'de, T: Deserialize<'de> + Named> Deserialize<'de> for Items<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(List(PhantomData)).map(Self)
    }
}

struct List<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Named> Visitor<'de> for List<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(After(&all))? {
            all.push(item);
        }
        Ok(all)
    }
}

/// Reads the item after these.
struct After<'a, T>(&'a [T]);

impl<'de, T: Deserialize<'de> + Named> DeserializeSeed<'de> for After<'_, T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de> + Named> Visitor<'de> for After<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let item = T::deserialize(MapAccessDeserializer::new(map))?;
        if self.0.iter().any(|earlier| earlier.name() == item.name()) {
            return Err(A::Error::invalid_value(Unexpected::Str(item.name()), &T::EXPECTED));
        }
        Ok(item)
    }
}

/// Reads a text that is not blank. An error has its line.
pub(super) fn some_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    deserializer.deserialize_str(SomeText)
}

struct SomeText;

impl Visitor<'_> for SomeText {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("some text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        if text.trim().is_empty() {
            return Err(E::invalid_value(Unexpected::Str(text), &self));
        }
        Ok(text.to_owned())
    }
}
