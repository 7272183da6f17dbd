#![doc = include_str!("../README.md")]

mod date;
mod host;
mod machine;
mod settings;
mod variables;

pub use host::Host;
pub use settings::Settings;
pub use variables::Variables;
