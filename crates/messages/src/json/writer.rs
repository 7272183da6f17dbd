//! The serializer.

use std::fmt::Display;

use serde::ser::{self, Error as _, Serialize};
use serde_json::Error;

/// Appends to the bytes.
pub(super) struct Writer<'a>(pub(super) &'a mut Vec<u8>);

type Result<T = ()> = std::result::Result<T, Error>;

impl Writer<'_> {
    /// Writes a number, or bytes, as serde_json does.
    fn delegate<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
        serde_json::to_writer(&mut *self.0, value)
    }

    fn string(&mut self, text: &str) {
        self.0.push(b'"');
        aside_json::escape(self.0, text);
        self.0.push(b'"');
    }

    /// Writes an object's key. One that is a number or a flag gets quotes.
    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result {
        let start = self.0.len();
        key.serialize(&mut *self)?;
        match self.0[start] {
            b'"' => {}
            b'[' | b'{' | b'n' => return Err(Error::custom("key must be a string")),
            _ => {
                self.0.insert(start, b'"');
                self.0.push(b'"');
            }
        }
        self.0.push(b':');
        Ok(())
    }

    /// Writes what comes before the content of a variant.
    fn variant(&mut self, name: &str) {
        self.0.push(b'{');
        self.string(name);
        self.0.push(b':');
    }
}

/// An array or an object that is being written.
pub(super) struct Open<'a, 'b> {
    writer: &'a mut Writer<'b>,
    is_empty: bool,
    end: &'static [u8],
}

impl<'a, 'b> Open<'a, 'b> {
    fn new(writer: &'a mut Writer<'b>, start: u8, end: &'static [u8]) -> Self {
        writer.0.push(start);
        Self { writer, is_empty: true, end }
    }

    fn comma(&mut self) {
        if !self.is_empty {
            self.writer.0.push(b',');
        }
        self.is_empty = false;
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
        self.comma();
        value.serialize(&mut *self.writer)
    }

    fn member<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result {
        self.comma();
        self.writer.string(key);
        self.writer.0.push(b':');
        value.serialize(&mut *self.writer)
    }

    fn close(self) {
        self.writer.0.extend_from_slice(self.end);
    }
}

/// A struct, or one of serde_json's own, by which raw JSON reaches it.
pub(super) enum Struct<'a, 'b> {
    Open(Open<'a, 'b>),
    Private(&'a mut Writer<'b>, &'static str),
}

/// A private struct with its only field, for serde_json.
struct Private<'a, T: ?Sized>(&'static str, &'static str, &'a T);

impl<T: Serialize + ?Sized> Serialize for Private<'_, T> {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut private = serializer.serialize_struct(self.0, 1)?;
        ser::SerializeStruct::serialize_field(&mut private, self.1, self.2)?;
        ser::SerializeStruct::end(private)
    }
}

macro_rules! delegated {
    ($($method:ident($kind:ty))*) => {
        $(fn $method(self, value: $kind) -> Result {
            self.delegate(&value)
        })*
    };
}

impl<'a, 'b> ser::Serializer for &'a mut Writer<'b> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Open<'a, 'b>;
    type SerializeTuple = Open<'a, 'b>;
    type SerializeTupleStruct = Open<'a, 'b>;
    type SerializeTupleVariant = Open<'a, 'b>;
    type SerializeMap = Open<'a, 'b>;
    type SerializeStruct = Struct<'a, 'b>;
    type SerializeStructVariant = Struct<'a, 'b>;

    delegated! {
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
        serialize_i128(i128) serialize_u128(u128) serialize_f32(f32) serialize_f64(f64)
        serialize_bool(bool) serialize_char(char) serialize_bytes(&[u8])
    }

    fn serialize_str(self, text: &str) -> Result {
        self.string(text);
        Ok(())
    }

    fn serialize_none(self) -> Result {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result {
        self.variant(variant);
        value.serialize(&mut *self)?;
        self.0.push(b'}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'a, 'b>> {
        Ok(Open::new(self, b'[', b"]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'a, 'b>> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'a, 'b>> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'a, 'b>> {
        self.variant(variant);
        Ok(Open::new(self, b'[', b"]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'a, 'b>> {
        Ok(Open::new(self, b'{', b"}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Struct<'a, 'b>> {
        if name.starts_with('$') {
            return Ok(Struct::Private(self, name));
        }
        self.serialize_map(None).map(Struct::Open)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Struct<'a, 'b>> {
        self.variant(variant);
        Ok(Struct::Open(Open::new(self, b'{', b"}}")))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result {
        self.serialize_str(&value.to_string())
    }
}

macro_rules! items {
    ($($kind:ident::$method:ident)*) => {
        $(impl ser::$kind for Open<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
                self.item(value)
            }

            fn end(self) -> Result {
                self.close();
                Ok(())
            }
        })*
    };
}

items! {
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}

impl ser::SerializeMap for Open<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result {
        self.comma();
        self.writer.key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result {
        self.close();
        Ok(())
    }
}

macro_rules! members {
    ($($kind:ident)*) => {
        $(impl ser::$kind for Struct<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result {
                match self {
                    Self::Open(open) => open.member(key, value),
                    Self::Private(writer, name) => writer.delegate(&Private(name, key, value)),
                }
            }

            fn end(self) -> Result {
                if let Self::Open(open) = self {
                    open.close();
                }
                Ok(())
            }
        })*
    };
}

members! { SerializeStruct SerializeStructVariant }
