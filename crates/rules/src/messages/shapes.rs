//! The closed key sets of a request, as the types of the official SDK
//! (`anthropic` 2.12.0) have them.
//!
//! A key that is not in a shape is refused with `Extra inputs are not
//! permitted`, so a shape that lacks a key makes a false alarm, and one with a
//! key too many a miss. The order is that of the documentation and has no
//! meaning.

/// `shape![required("id", Kind::Text), CACHE_CONTROL]`: a closed object of
/// these keys.
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
///
/// ```json
/// {"type": "ephemeral", "ttl": "1h"}
/// ```
///
/// Without `ttl`, the lifetime is five minutes.
pub(super) const MARKER: Shape = Shape {
    keys: &[
        required("type", Kind::Literal(&["ephemeral"])),
        optional("ttl", Kind::Literal(&["5m", "1h"])).or_null(),
        optional("scope", Kind::Literal(&["global"])).gated(&crate::table::GLOBAL_SCOPE),
    ],
};

/// The marker as an optional key of a block or a tool.
pub(super) const CACHE_CONTROL: Key = nullable("cache_control", Kind::Object(&MARKER));

/// The levels of effort from low to high, of the request and of a message.
pub(super) const EFFORT: Kind = Kind::Literal(&["low", "medium", "high", "xhigh", "max"]);

/// A list of strings, such as `stop_sequences`.
pub(super) const TEXTS: Kind = Kind::List(&Kind::Text);
/// A variant without keys other than `type`.
pub(super) const NONE: Shape = Shape { keys: &[] };
