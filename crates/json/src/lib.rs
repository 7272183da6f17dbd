#![doc = include_str!("../README.md")]

mod error;
mod escape;
mod excerpt;
mod number;
mod once;
mod path;
pub mod scan;
mod tape;
mod value;
mod word;

pub use error::{Expected, JsonError};
pub use escape::{
    Piece, Pieces, escape, escaped_len, exact_text, has_lone_surrogate, lone_surrogates,
    replace_lone_surrogates, unescape,
};
pub use excerpt::excerpt;
pub use number::numbers_are_equal;
pub use once::keys_once;
pub use path::Path;
pub use scan::{Kind, Span};
pub use tape::{MAX_TAPE_BYTES, Tape};
pub use value::Value;

/// How deep brackets may nest.
pub const MAX_DEPTH: usize = 512;
