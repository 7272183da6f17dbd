#![doc = include_str!("../README.md")]

mod block;
mod data;
mod document;
mod error;
mod unquoted;

pub use data::{strict_yaml, yaml};
pub use document::{Document, split};
pub use error::{Error, ErrorKind};
