#![doc = include_str!("../README.md")]

mod block;
#[cfg(feature = "yaml")]
mod bounds;
#[cfg(feature = "yaml")]
mod brackets;
#[cfg(feature = "yaml")]
mod data;
#[cfg(not(feature = "yaml"))]
#[path = "no_yaml.rs"]
mod data;
mod document;
mod error;
pub mod json;
mod messages;
mod nearest;
pub mod open;
#[cfg(feature = "yaml")]
mod outline;
mod outside_braces;
#[cfg(feature = "yaml")]
mod unquoted;

#[cfg(feature = "yaml")]
pub use data::{strict_yaml, yaml};
pub use document::{SplitDocument, split};
pub use error::{DocumentError, DocumentErrorKind, decode};
pub use nearest::{misspelled, nearest};
pub use outside_braces::split_outside_braces;
