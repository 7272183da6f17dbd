use aside_json::{Kind, Value};
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Lets serde read a JSON value.
#[derive(Clone, Copy)]
pub(super) struct Figures<'t>(pub(super) Value<'t>);

impl<'de> Deserializer<'de> for Figures<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let value = self.0;
        match value.kind() {
            Kind::Object => {
                let members = value.members().map(|(key, value)| (key, Self(value)));
                visitor.visit_map(MapDeserializer::new(members))
            }
            Kind::Array => visitor.visit_seq(SeqDeserializer::new(value.items().map(Self))),
            Kind::String => visitor.visit_str(&value.text().unwrap_or_default()),
            Kind::Number => match value.raw().parse() {
                Ok(whole) => visitor.visit_u64(whole),
                Err(_) => visitor.visit_f64(value.number().unwrap_or(f64::NAN)),
            },
            Kind::Bool => visitor.visit_bool(value.is_true()),
            Kind::Null => visitor.visit_unit(),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl IntoDeserializer<'_> for Figures<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
