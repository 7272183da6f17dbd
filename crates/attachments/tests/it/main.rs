//! Tests of the public API.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that fails panics")]

mod cadence;
mod cadence_laws;
mod delivered;
mod examples;
mod fixed_words;
mod json;
mod limits;
mod mentions;
mod spoofing;
mod table;
mod todo_list;
mod trust;
mod wire;
