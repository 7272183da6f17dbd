//! The tools that a model can call. The feature `agent` has them.

// The tools.
mod builtin;
mod edit;
#[cfg(feature = "search")]
mod glob;
#[cfg(feature = "search")]
mod grep;
#[cfg(not(feature = "search"))]
mod no_search;
mod read;
mod snip;
mod todo_write;

// Search and its limits.
mod effort;
#[cfg(feature = "search")]
mod ignored;
#[cfg(feature = "search")]
mod pattern;
#[cfg(feature = "search")]
mod walk;

// Definitions and inputs of calls.
mod described;
mod input;
mod named_file;

pub use builtin::{builtin_tools, edit_tools};
pub use edit::{Edit, Write};
#[cfg(feature = "search")]
pub use glob::Glob;
#[cfg(feature = "search")]
pub use grep::Grep;
#[cfg(not(feature = "search"))]
pub use no_search::{Glob, Grep};
pub use read::Read;
pub use snip::Snip;
pub use todo_write::TodoWrite;
