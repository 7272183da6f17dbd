#![doc = include_str!("../README.md")]

mod error;
mod input;
mod output;

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

mod call;

pub use cache::CacheSession;
pub use call::{FUNCTIONS, Function, call};
pub use error::{BindingError, BindingErrorKind};
pub use output::Output;
