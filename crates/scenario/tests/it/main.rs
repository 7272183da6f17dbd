//! The tests of `scenario` from outside, in one program: each program costs a link.

mod attachments;
mod cassette_schema;
mod described;
mod entry_schema;
mod features;
mod keywords;
mod reminder_schema;
mod resumed;
mod scenario_schema;
mod spoiled;
mod state_schema;
mod wires;
