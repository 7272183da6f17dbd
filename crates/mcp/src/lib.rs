#![doc = include_str!("../README.md")]

#[cfg(feature = "client")]
mod client;
mod config;
mod config_error;

// Re-exported because public signatures use their types: one dependency is enough.
#[cfg(feature = "client")]
pub use aside_agent as agent;
#[cfg(feature = "client")]
pub use aside_diagnostic as diagnostic;

#[cfg(feature = "client")]
pub use client::{ConnectOptions, DIAGNOSTICS, Servers};
pub use config::{Endpoint, ServerConfig};
pub use config_error::ConfigError;
