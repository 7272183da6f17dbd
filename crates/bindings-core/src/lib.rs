#![doc = include_str!("../README.md")]

mod call;
mod error;
mod input;

mod cache;
mod catalogue;
mod check;
mod compare;
mod context;
mod conversion;
mod markers;
mod reminders;

mod assertions;
mod same_meaning;

pub mod local;

pub use cache::CacheSession;
pub use call::{FUNCTIONS, Function, Output, call};
pub use error::{BindingError, BindingErrorKind};
