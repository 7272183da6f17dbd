#![doc = include_str!("../README.md")]

mod code;
mod diagnostic;
mod json;
mod kind;
mod location;
mod severity;

pub use code::Code;
pub use diagnostic::Diagnostic;
pub use kind::Kind;
pub use location::Location;
pub use severity::Severity;
