#![doc = include_str!("../README.md")]

pub mod wire;

pub mod body;
pub mod path;
pub mod stored;
pub mod turns;

pub mod response;

pub mod hash;
pub mod lifetime;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_json as json;
pub use aside_models as models;

pub use aside_models::Wire;
pub use body::{Body, ParseError, ParseErrorKind};
