//! Tests of the crate through its public functions.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod bodies;
mod hints;
mod laws;
mod schema;
mod text;
