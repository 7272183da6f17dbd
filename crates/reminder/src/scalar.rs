//! Values checked while they are read, so that serde's error has the value's
//! line and path.

pub(crate) mod integer;

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// A value that a file writes as one scalar.
pub(crate) trait Scalar: Sized {
    /// Such as `an integer from 1`.
    const EXPECTED: &str;

    fn from_text(text: &str) -> Result<Self, String> {
        Err(unexpected::<Self>(Unexpected::Str(text)))
    }

    fn from_integer(number: i128) -> Result<Self, String> {
        Err(format!("found {number}, expected {}", Self::EXPECTED))
    }

    fn from_float(number: f64) -> Result<Self, String> {
        Err(unexpected::<Self>(Unexpected::Float(number)))
    }
}

/// Returns the fault when a value has another type.
fn unexpected<T: Scalar>(found: Unexpected<'_>) -> String {
    format!("found {found}, expected {}", T::EXPECTED)
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checked<T>(pub(crate) T);

impl<'de, T: Scalar> Deserialize<'de> for Checked<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader(PhantomData)).map(Checked)
    }
}

/// Reads from any type that a YAML or JSON scalar can have.
struct Reader<T>(PhantomData<T>);

impl<T: Scalar> Visitor<'_> for Reader<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::from_text(text).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        T::from_integer(number.into()).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        T::from_integer(number.into()).map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        T::from_float(number).map_err(E::custom)
    }
}
