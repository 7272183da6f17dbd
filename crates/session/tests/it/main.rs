//! The tests of `session` from outside, in one program: each program costs a link.

mod append_only;
mod cache;
mod delivery;
mod delivery_cost;
mod prompt;
mod refresh;
mod reminders;
mod session;
mod sharing;
mod summary;
mod support;
mod tools;
mod traces;
