//! The client against servers that behave, and servers that do not.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod agent;
mod bedrock;
mod canary;
mod client;
mod prefix_gate;
mod server;
