//! The tools as a model meets them.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod definitions;
mod edit;
mod glob;
mod grep;
mod hostile;
mod ignored;
mod mentioned;
mod notebook;
mod read;
mod todo_write;
mod tree;
mod walls;
