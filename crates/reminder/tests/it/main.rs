//! Tests of the public API.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod conditions;
mod delivery;
mod directories;
mod durations;
mod examples;
#[cfg(target_os = "linux")]
mod fence;
mod file_faults;
mod files;
mod injection;
mod manager;
mod prices;
mod schedules;
mod tally;
