#![doc = include_str!("../README.md")]

pub mod place;
pub mod proxy;
pub mod serve;
pub mod strict;

mod cost;
mod guard;
mod object;
mod run;

pub use guard::{Access, BindError, BindErrorKind};
