#![doc = include_str!("../README.md")]

pub mod place;
#[cfg(feature = "servers")]
pub mod proxy;
#[cfg(feature = "servers")]
pub mod serve;
pub mod strict;
#[cfg(feature = "servers")]
pub mod suite;

#[cfg(feature = "servers")]
mod admission;
#[cfg(feature = "servers")]
mod arriving;
#[cfg(feature = "servers")]
mod buffers;
#[cfg(feature = "servers")]
mod decode;
#[cfg(feature = "servers")]
mod guard;
mod latest;
mod object;
#[cfg(feature = "servers")]
mod redact;
#[cfg(feature = "servers")]
mod repoll;
#[cfg(feature = "servers")]
mod run;
#[cfg(feature = "servers")]
mod wires;
#[cfg(feature = "servers")]
mod written;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_cache_model as cache_model;
pub use aside_models as models;
pub use aside_providers as providers;

#[cfg(feature = "servers")]
pub use guard::{Access, BindError, BindErrorKind};
