//! The crate as its users see it.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that fails panics"
)]

mod cadence;
mod cadence_laws;
mod cadence_sections;
mod examples;
mod json;
mod limits;
mod mentions;
mod spoofing;
mod table;
mod told;
mod wire;
mod written_todos;
