//! Tests through the public API, in one program: each program costs a link.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]
#![expect(clippy::print_stdout, reason = "some tests report figures, or that they are skipped")]

mod api_summaries;
mod append_only;
mod cache;
mod delivery;
mod delivery_cost;
mod known_files;
mod layouts;
mod prompt;
mod refresh;
mod reminders;
mod session;
mod sharing;
mod summary;
mod support;
mod tools;
mod traces;
