//! Tests through the public API, in one program: each program costs a link.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that fails panics")]

mod attachments;
mod described;
mod entry_schema;
mod features;
mod keywords;
mod reminder_schema;
mod resumed;
mod scenario_schema;
mod script_schema;
mod spoiled;
mod state_schema;
mod wires;
