//! Writing JSON into memory, byte for byte as serde_json does it.
//!
//! Most of what is written is text, and most of that has a line break to escape every few words.
//! Here a text is searched in words of eight bytes and copied between the escapes, which takes a
//! quarter of serde_json's instructions.

mod writer;

use serde::Serialize;

use writer::Writer;

/// Appends a value's JSON. After an error, a part of it may be there.
///
/// ```
/// let mut out = b"data: ".to_vec();
/// aside_messages::json::write(&mut out, &("a\n", 1.5, [(); 1]))?;
/// assert_eq!(out, br#"data: ["a\n",1.5,[null]]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// The value has a map whose keys are neither texts nor numbers, or does not serialize.
pub fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> serde_json::Result<()> {
    value.serialize(&mut Writer(out))
}

/// Returns a value's JSON.
///
/// # Errors
/// As [`write()`].
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::with_capacity(512);
    write(&mut out, value)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    enum Kind {
        Unit,
        Newtype(i8),
        Tuple(u8, char),
        Struct { a: u64, b: Option<bool> },
    }

    #[derive(Serialize)]
    struct Wrapper<T>(T);

    #[derive(Serialize)]
    struct Nothing;

    #[derive(Serialize)]
    struct Members<'a> {
        texts: Vec<&'a str>,
        float: (f32, f64),
        wide: (u128, i128, u16, i32, u32, i16, i64),
        raw: &'a RawValue,
        kinds: Vec<Kind>,
        numbered: BTreeMap<u8, ()>,
        lettered: BTreeMap<char, Wrapper<Nothing>>,
        flags: BTreeMap<bool, Kind>,
        nothing: Nothing,
        empty: (BTreeMap<String, ()>, [u8; 0]),
    }

    proptest! {
        #[test]
        fn values_are_written_as_serde_does(
            text in "[\\x00-\\x7Fé😀]{0,30}",
            float in any::<(f32, f64)>(),
            wide in any::<(u128, i128, u16, i32, u32, i16, i64)>(),
            small in any::<(i8, u8, char)>(),
            option in any::<Option<bool>>(),
        ) {
            let raw = serde_json::value::to_raw_value(&[&text]).unwrap();
            let value = Members {
                texts: vec![&text, ""],
                float,
                wide,
                raw: &raw,
                kinds: vec![
                    Kind::Unit,
                    Kind::Newtype(small.0),
                    Kind::Tuple(small.1, small.2),
                    Kind::Struct { a: wide.6.unsigned_abs(), b: option },
                ],
                numbered: [(1, ()), (small.1, ())].into(),
                lettered: [('"', Wrapper(Nothing)), (small.2, Wrapper(Nothing))].into(),
                flags: [(true, Kind::Unit), (false, Kind::Newtype(1))].into(),
                nothing: Nothing,
                empty: (BTreeMap::new(), []),
            };
            prop_assert_eq!(to_vec(&value).unwrap(), serde_json::to_vec(&value).unwrap());
        }
    }

    #[test]
    fn a_key_that_is_no_string_is_refused() {
        let refused = to_vec(&BTreeMap::from([([1], 2)])).unwrap_err();
        assert_eq!(refused.to_string(), "key must be a string");
    }
}
