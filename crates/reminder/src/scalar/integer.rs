//! Integers with limits.
//!
//! A text is not converted: `"5"` is an error.

use super::Scalar;

/// Defines an integer newtype from a lower limit to the largest value of its
/// type.
macro_rules! integer {
    ($name:ident, $type:ty, $lowest:expr, $expected:literal) => {
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $name(pub(crate) $type);

        impl Scalar for $name {
            const EXPECTED: &str = $expected;

            fn from_integer(number: i128) -> Result<Self, String> {
                let inside = <$type>::try_from(number).ok();
                inside
                    .filter(|_| number >= $lowest)
                    .map(Self)
                    .ok_or_else(|| format!("found {number}, expected {}", Self::EXPECTED))
            }

            fn from_float(number: f64) -> Result<Self, String> {
                // According to JSON Schema, 5.0 is an integer. Up to 2^53 a
                // float is exactly the number that was written.
                if number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0 {
                    return Self::from_integer(number as i128);
                }
                Err(format!("found {number}, expected {}", Self::EXPECTED))
            }
        }
    };
}

integer!(Positive, u64, 1, "an integer from 1");
integer!(Count, u64, 0, "an integer from 0");
integer!(MaxFires, u32, 0, "an integer from 0 to 4294967295");
integer!(Priority, i32, i128::from(i32::MIN), "an integer from -2147483648 to 2147483647");
