//! The tools that a model can call. The feature `agent` has them.

// The tools.
mod builtin;
mod edit;
mod glob;
mod grep;
mod read;
mod snip;
mod todo_write;

// Search and its limits.
mod effort;
mod ignored;
mod pattern;
mod walk;

// Definitions and inputs of calls.
mod described;
mod input;

pub use builtin::builtin_tools;
pub use edit::{Edit, Write};
pub use glob::Glob;
pub use grep::Grep;
pub use read::Read;
pub use snip::Snip;
pub use todo_write::TodoWrite;
