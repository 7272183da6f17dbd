//! The single values of a definition.

use std::time::Duration;

use crate::expression::Expression;
use crate::go_duration::parse_duration;
use crate::reminder::Delivery;
use crate::scalar::Scalar;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Id(pub(super) String);

impl Scalar for Id {
    const EXPECTED: &str = "a string or a number";

    fn from_text(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err(format!("found {text:?}, expected an id that is not blank"));
        }
        Ok(Self(text.to_owned()))
    }

    fn from_integer(number: i128) -> Result<Self, String> {
        Ok(Self(number.to_string()))
    }

    fn from_float(number: f64) -> Result<Self, String> {
        Ok(Self(number.to_string()))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Content(pub(super) String);

impl Scalar for Content {
    const EXPECTED: &str = "a string";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self(text.to_owned()))
    }
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Always,
    Turn,
    Timer,
    Oneshot,
    Condition,
}

impl Scalar for Kind {
    const EXPECTED: &str = "always, turn, timer, oneshot or condition";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(match text {
            "always" => Self::Always,
            "turn" => Self::Turn,
            "timer" => Self::Timer,
            "oneshot" => Self::Oneshot,
            "condition" => Self::Condition,
            _ => return Err(format!("found {text:?}, expected {}", Self::EXPECTED)),
        })
    }
}

impl Scalar for Delivery {
    const EXPECTED: &str = "ephemeral or persistent";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(match text {
            "ephemeral" => Self::Ephemeral,
            "persistent" => Self::Persistent,
            _ => return Err(format!("found {text:?}, expected {}", Self::EXPECTED)),
        })
    }
}

impl Scalar for Expression {
    const EXPECTED: &str = "a condition, such as \"after_tool:Edit\"";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self::parse(text))
    }
}

pub(super) struct Interval(pub(super) Duration);

impl Scalar for Interval {
    const EXPECTED: &str = "a duration, such as 30s or 5m";

    fn from_text(text: &str) -> Result<Self, String> {
        parse_duration(text).map(Self)
    }
}

/// Makes a newtype of an integer from a lower limit to what the type holds.
macro_rules! integer {
    ($name:ident, $type:ty, $lowest:expr, $expected:literal) => {
        #[derive(Clone, Debug, PartialEq)]
        pub(super) struct $name(pub(super) $type);

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
                // JSON Schema has it that 5.0 is an integer. Below 2^53 it is
                // surely the number that was written.
                if number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0 {
                    return Self::from_integer(number as i128);
                }
                Err(format!("found {number}, expected {}", Self::EXPECTED))
            }
        }
    };
}

integer!(AtLeastOne, u64, 1, "an integer from 1");
integer!(Count, u64, 0, "an integer from 0");
integer!(MaxFires, u32, 0, "an integer from 0 to 4294967295");
integer!(
    Priority,
    i32,
    i128::from(i32::MIN),
    "an integer from -2147483648 to 2147483647"
);
