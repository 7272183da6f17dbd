//! Tests of the crate through its public functions.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod agents;
mod bodies;
mod hints;
mod laws;
#[path = "../support/long_session.rs"]
mod long_session;
mod page;
mod schema;
mod text;
