#![doc = include_str!("../README.md")]

mod code;
mod diagnostic;
mod json;
mod location;
mod severity;

pub use code::Code;
pub use diagnostic::Diagnostic;
pub use location::Location;
pub use severity::{Severity, UnknownSeverity};
