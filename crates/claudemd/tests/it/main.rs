//! Instruction files in real directories.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod tree;

mod agents;
#[path = "../../../git-context/tests/it/support/cases.rs"]
mod cases;
mod checkouts;
mod contents;
mod excludes;
mod fence;
mod hostile;
mod imports;
mod order;
mod profiles;
mod rendering;
mod rules;
mod skills;
mod stored;
mod touch;
mod unloaded;
mod unloaded_elsewhere;
mod unreadable;
