#![doc = include_str!("../README.md")]

pub mod place;
pub mod proxy;
pub mod serve;
pub mod strict;

mod guard;
mod redact;
mod run;
mod wires;

// The crates whose types the signatures of this one name: one dependency is enough.
pub use aside_cache_model as cache_model;
pub use aside_models as models;
pub use aside_providers as providers;

pub use guard::{Access, BindError, BindErrorKind};
