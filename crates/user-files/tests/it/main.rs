//! Tests through the public API, in one program: each program costs a link.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod documents;
mod gray_matter_habits;
mod open;
mod sentences;
