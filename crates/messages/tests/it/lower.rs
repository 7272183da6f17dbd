//! Lowering and encoding, from outside.

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
