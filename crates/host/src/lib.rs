#![doc = include_str!("../README.md")]

mod date;
mod host;
mod machine;
mod variables;

pub use host::Host;
pub use variables::Variables;
