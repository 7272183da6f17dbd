//! Lowering and encoding, from outside.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod append_only;
mod binding;
mod cases;
mod faults;
mod generate;
mod incremental;
mod law;
mod laws;
mod passes;
mod resets;
mod spoofing;
mod system;
mod wide;
