//! Tests of the crate through its public functions.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod agents;
mod browser;
mod bodies;
mod hints;
mod laws;
mod page;
mod schema;
mod support;
mod text;
