//! Reminders from outside.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod conditions;
mod delivery;
mod directories;
mod durations;
mod examples;
mod file_faults;
mod files;
mod injection;
mod manager;
mod schedules;
mod tally;
