//! Reading and writing JSON objects, member by member.
//!
//! A mode is what an absent key and a null mean. The reader and the writer have
//! a method by its name:
//!
//! | mode | absent | null | written |
//! |---|---|---|---|
//! | `required` | an error | an error | always |
//! | `required_or_null` | an error | the default | – |
//! | `optional` | `None` | `None`, and the null is kept in `Extra` | if `Some` |
//! | `sparse` | the default | the default, and the null is kept | unless default |
//! | `nullable` | the default | the default | unless default |
//! | `marked` | no marker | no marker | if there is one |
//!
//! A key that occurs twice is an error if it has a field; else both are kept.
//! Inside raw JSON the last one is kept ([`RawJson::repairs`]).

use std::borrow::Cow;

use aside_json::{Kind, Path, Value, has_lone_surrogate};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::extra::Extra;
use super::raw::RawJson;
use super::read::{Read, ReadError, Reader};

/// An object's members while reading: each is taken by name, and the rest is
/// [`Extra`].
pub(crate) struct ObjectReader<'a> {
    at: Path<'a>,
    members: Vec<(Cow<'a, str>, Value<'a>)>,
}

impl<'a> ObjectReader<'a> {
    /// Splits the object into its members. Linear in how many these are.
    ///
    /// # Errors
    /// It is no object, or a key is no text, because it has half a surrogate
    /// pair.
    pub(crate) fn new(value: Value<'a>, at: Path<'a>) -> Result<Self, ReadError> {
        if value.kind() != Kind::Object {
            return Err(ReadError::expected("an object", value, at));
        }
        let members: Vec<_> = value.members().collect();
        let is_broken = |raw: &str| has_lone_surrogate(raw.as_bytes());
        for (key, value) in &members {
            let raw = value.raw_key().unwrap_or_default();
            if matches!(key, Cow::Owned(_)) && is_broken(raw) {
                return Err(ReadError::no_text(raw, at));
            }
        }
        Ok(Self { at, members })
    }

    /// Removes the member `key` and returns its value, null included; `None` if
    /// it is absent.
    ///
    /// # Errors
    /// The key occurs twice.
    pub(crate) fn take(&mut self, key: &str) -> Result<Option<Value<'a>>, ReadError> {
        let Some(first) = self.members.iter().position(|(name, _)| name == key) else {
            return Ok(None);
        };
        let (_, value) = self.members.remove(first);
        if self.members.iter().any(|(name, _)| name == key) {
            return Err(ReadError::duplicate(Path::Key(&self.at, key)));
        }
        Ok(Some(value))
    }

    /// Reads a member that has to be there. A null is read as a value, which
    /// only a few types accept.
    pub(crate) fn required<T: Read>(
        &mut self,
        key: &'static str,
        reader: &mut Reader,
    ) -> Result<T, ReadError> {
        match self.take(key)? {
            Some(value) => T::read(value, Path::Key(&self.at, key), reader),
            None => Err(ReadError::missing(Path::Key(&self.at, key), T::EXPECTED)),
        }
    }

    /// Reads a required member. A null means the default, and is dropped.
    pub(crate) fn required_or_null<T: Read + Default>(
        &mut self,
        key: &'static str,
        reader: &mut Reader,
    ) -> Result<T, ReadError> {
        match self.take(key)? {
            Some(value) if value.is_null() => Ok(T::default()),
            Some(value) => T::read(value, Path::Key(&self.at, key), reader),
            None => Err(ReadError::missing(Path::Key(&self.at, key), T::EXPECTED)),
        }
    }

    /// Reads an optional member; returns `None` if the key is absent or null. A
    /// null stays in [`Extra`].
    pub(crate) fn optional<T: Read>(
        &mut self,
        key: &'static str,
        reader: &mut Reader,
    ) -> Result<Option<T>, ReadError> {
        let mut named = self.members.iter().filter(|(name, _)| name == key);
        if let (Some((_, value)), None) = (named.next(), named.next())
            && value.is_null()
        {
            return Ok(None);
        }
        self.defaulted(key, reader)
    }

    /// Reads a member with a default; returns `None` if the key is absent or
    /// null. A null is dropped: it means a default that is always written, and
    /// would double the key.
    pub(crate) fn defaulted<T: Read>(
        &mut self,
        key: &'static str,
        reader: &mut Reader,
    ) -> Result<Option<T>, ReadError> {
        match self.take(key)? {
            Some(value) if !value.is_null() => {
                T::read(value, Path::Key(&self.at, key), reader).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Reads a sparse member; returns the default if the key is absent or null.
    pub(crate) fn sparse<T: Read + Default>(
        &mut self,
        key: &'static str,
        reader: &mut Reader,
    ) -> Result<T, ReadError> {
        Ok(self.optional(key, reader)?.unwrap_or_default())
    }

    /// Reads a nullable member; returns the default if the key is absent or
    /// null. A null is dropped, as if it were absent.
    pub(crate) fn nullable<T: Read + Default>(
        &mut self,
        key: &'static str,
        reader: &mut Reader,
    ) -> Result<T, ReadError> {
        Ok(self.defaulted(key, reader)?.unwrap_or_default())
    }

    /// Reads the object's `type`, which [`ObjectReader::rest`] leaves out.
    pub(crate) fn kind(&mut self, reader: &mut Reader) -> Result<String, ReadError> {
        self.required("type", reader)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the members that were not taken, in document order.
    pub(crate) fn rest(self) -> Extra {
        let members = self.members.into_iter();
        let rest = members.map(|(key, value)| (key.into_owned(), RawJson::copy(value).0));
        let mut rest: Vec<_> = rest.collect();
        // Otherwise each object of a session keeps the room of all its members.
        rest.shrink_to_fit();
        Extra(rest)
    }
}

impl Extra {
    /// Returns a writer of the object with these extra members.
    pub(crate) fn writer<S: Serializer>(
        &self,
        serializer: S,
    ) -> Result<ObjectWriter<'_, S>, S::Error> {
        Ok(ObjectWriter { map: serializer.serialize_map(None)?, extra: self, written: Vec::new() })
    }
}

/// Writes an object key by key, in the order of the calls.
pub(crate) struct ObjectWriter<'a, S: Serializer> {
    map: S::SerializeMap,
    extra: &'a Extra,
    /// The keys that [`ObjectWriter::extra`] leaves out; empty if there are no extra members.
    written: Vec<&'static str>,
}

impl<'a, S: Serializer> ObjectWriter<'a, S> {
    pub(crate) fn new(serializer: S) -> Result<Self, S::Error> {
        const { &Extra(Vec::new()) }.writer(serializer)
    }

    /// Leaves `key` out of the extra members, since it is written after them.
    pub(crate) fn reserved(mut self, key: &'static str) -> Self {
        if !self.extra.0.is_empty() {
            self.written.push(key);
        }
        self
    }

    /// Writes a member.
    pub(crate) fn required<T: Serialize + ?Sized>(
        mut self,
        key: &'static str,
        value: &T,
    ) -> Result<Self, S::Error> {
        self.map.serialize_entry(key, value)?;
        Ok(self.reserved(key))
    }

    /// Writes a member if there is a value.
    pub(crate) fn optional<T: Serialize>(
        self,
        key: &'static str,
        value: Option<&T>,
    ) -> Result<Self, S::Error> {
        match value {
            Some(value) => self.required(key, value),
            None => Ok(self),
        }
    }

    /// Writes a member unless it equals its default.
    pub(crate) fn sparse<T: Serialize + Default + PartialEq>(
        self,
        key: &'static str,
        value: &T,
    ) -> Result<Self, S::Error> {
        if *value == T::default() { Ok(self) } else { self.required(key, value) }
    }

    /// Writes a member unless it equals its default.
    pub(crate) fn nullable<T: Serialize + Default + PartialEq>(
        self,
        key: &'static str,
        value: &T,
    ) -> Result<Self, S::Error> {
        self.sparse(key, value)
    }

    /// Writes the extra members whose keys were not written before.
    pub(crate) fn extra(mut self) -> Result<Self, S::Error> {
        for (key, value) in self.extra.members() {
            if !self.written.contains(&key) {
                self.map.serialize_entry(key, value)?;
            }
        }
        Ok(self)
    }

    pub(crate) fn end(self) -> Result<S::Ok, S::Error> {
        self.map.end()
    }
}
