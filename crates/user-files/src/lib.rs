#![doc = include_str!("../README.md")]

mod block;
mod bounds;
mod brackets;
mod data;
mod document;
mod error;
pub mod json;
mod messages;
mod nearest;
pub mod open;
mod outline;
mod unquoted;

pub use data::{strict_yaml, yaml};
pub use document::{SplitDocument, split};
pub use error::{DocumentError, DocumentErrorKind};
pub use nearest::{misspelled, nearest};
