//! The closed key sets of a request, as the types of the official SDK have
//! them.

macro_rules! shape {
    ($($key:expr),* $(,)?) => { Shape { keys: &[$($key),*] } };
}

pub(super) mod blocks;
pub(super) mod edits;
mod media;
pub(super) mod request;
pub(super) mod results;
pub(super) mod tools;

use super::shape::{Key, Kind, Shape, nullable, optional, required};

/// A cache marker. `scope` is in no public type.
pub(super) const MARKER: Shape = Shape {
    keys: &[
        required("type", Kind::Literal(&["ephemeral"])),
        optional("ttl", Kind::Literal(&["5m", "1h"])).or_null(),
        optional("scope", Kind::Literal(&["global"])).gated(&super::table::GLOBAL_SCOPE),
    ],
};

pub(super) const CACHE_CONTROL: Key = nullable("cache_control", Kind::Object(&MARKER));

pub(super) const EFFORT: Kind = Kind::Literal(&["low", "medium", "high", "xhigh", "max"]);

pub(super) const TEXTS: Kind = Kind::List(&Kind::Text);
pub(super) const NONE: Shape = Shape { keys: &[] };
