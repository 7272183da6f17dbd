//! Reminders from outside.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod conditions;
mod delivery;
mod durations;
mod examples;
mod files;
mod injection;
mod manager;
mod schedules;
mod tally;
