#![doc = include_str!("../README.md")]

// What the model calls.
mod builtin;
mod glob;
mod grep;
mod read;
mod stamp;
mod todo_write;

// Where tools may look.
mod opened_file;
mod workspace;

// How they look.
mod effort;
mod ignored;
mod pattern;
mod walk;

// What a prompt mentions.
mod mentioned;
mod pdf;

// What goes in, and what comes out where nothing can.
mod input;
mod refusal;

pub use aside_attachments::{Progress, Todo};
pub use builtin::builtin_tools;
pub use glob::Glob;
pub use grep::Grep;
pub use read::Read;
pub use todo_write::TodoWrite;
pub use workspace::Workspace;
