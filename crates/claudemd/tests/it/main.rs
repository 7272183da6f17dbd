//! Instruction files in real directories.

#![expect(
    clippy::unwrap_used,
    reason = "what a test takes for granted may fail it"
)]

mod tree;

mod order;
mod rendering;
mod stored;
mod unreadable;
