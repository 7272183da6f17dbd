//! Tests `cli` from outside, in one program: each program costs a link.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that fails panics")]

mod before;
mod cache;
mod cache_matrix;
mod check;
mod check_goldens;
mod common_arguments;
mod context;
mod convert;
mod diagnostics;
mod gateway;
mod help_forms;
mod last_release;
mod memory;
mod models;
mod on_disk;
mod picture;
mod prompt;
mod readme;
mod reminders;
mod render;
mod report;
mod run;
mod screens;
mod session;
mod skills;
mod source_map;
mod spending;
mod stateless;
mod support;
mod switches;
mod tour;
mod usage;
mod verify;
mod workflow;
