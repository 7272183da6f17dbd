//! Tests through the public API, in one program: each program costs a link.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that fails panics")]
#![expect(clippy::print_stderr, reason = "some tests report figures, or that they are skipped")]

mod agents;
mod bodies;
mod browser;
mod codex;
mod hints;
mod laws;
mod page;
mod prices;
mod results;
mod rows;
mod schema;
mod support;
mod text;
mod threads;
