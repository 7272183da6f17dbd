//! Tests `providers` from outside, in one program, because each program has to be linked.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod addresses;
mod admission;
mod answers;
mod betas;
mod bodies;
mod breakpoints;
#[path = "../../../git-context/tests/it/support/cases.rs"]
mod cases;
mod conversions;
mod eighth_provider;
mod everything;
mod history;
mod import_losses;
mod imports;
mod incremental;
mod losses;
mod responses;
mod rules;
mod schemas;
mod seams;
mod shared;
mod sources;
mod streams;
mod summaries;
mod system_messages;
mod thinking;
mod third_wires;
mod tool_changes;
mod unread;
