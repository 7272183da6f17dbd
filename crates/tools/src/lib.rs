#![doc = include_str!("../README.md")]

// The tools.
mod builtin;
mod glob;
mod grep;
mod read;
mod snip;
mod stamp;
mod todo_write;

// Access to files.
mod opened_file;
mod workspace;

// Search and its limits.
mod effort;
mod ignored;
mod pattern;
mod walk;

// Mentions in prompts.
mod mentioned;
mod pdf;

// Inputs and error results.
mod input;
mod refusal;

// The crates whose types the signatures of this one name: one dependency is enough.
pub use aside_agent as agent;
pub use aside_messages as messages;

pub use aside_attachments::{TaskProgress, Todo};
pub use builtin::builtin_tools;
pub use glob::Glob;
pub use grep::Grep;
pub use read::Read;
pub use snip::Snip;
pub use todo_write::TodoWrite;
pub use workspace::Workspace;
