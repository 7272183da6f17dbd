#![doc = include_str!("../README.md")]

mod config;
mod config_error;

#[cfg(feature = "client")]
mod connection;
#[cfg(feature = "client")]
mod content;
#[cfg(feature = "client")]
mod kinds;
#[cfg(feature = "client")]
mod listing;
#[cfg(feature = "client")]
mod process;
#[cfg(feature = "client")]
mod server;
#[cfg(feature = "client")]
mod servers;
#[cfg(feature = "client")]
mod tool;

// Re-exported because public signatures use their types: one dependency is enough.
#[cfg(feature = "client")]
pub use aside_agent as agent;
#[cfg(feature = "client")]
pub use aside_diagnostic as diagnostic;

pub use config::{Endpoint, ServerConfig};
pub use config_error::ConfigError;
#[cfg(feature = "client")]
pub use connection::ConnectOptions;
#[cfg(feature = "client")]
pub use kinds::DIAGNOSTICS;
#[cfg(feature = "client")]
pub use servers::Servers;
