//! Tests of the crate through its public functions.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod bodies;
mod laws;
