#![doc = include_str!("../README.md")]

// The tools: their definitions, and what a call does.
mod definitions;
#[cfg(feature = "agent")]
mod implementations;

// Access to files.
mod file_head;
mod opened_file;
mod stamp;
mod workspace;

// Mentions in prompts.
mod image;
mod mentioned;
mod notebook;
#[cfg_attr(
    not(feature = "agent"),
    expect(dead_code, reason = "Read alone takes pages out of a document")
)]
mod pdf;

// Error results.
mod refusal;

// Re-exported because public signatures use their types: one dependency is enough.
#[cfg(feature = "agent")]
pub use aside_agent as agent;
pub use aside_messages as messages;
pub use aside_session as session;

#[cfg(feature = "agent")]
pub use aside_attachments::{TaskProgress, Todo};
pub use definitions::{OwnTools, snip_definition, worker_definition};
#[cfg(feature = "agent")]
pub use implementations::{
    Edit, Glob, Grep, Read, Snip, TodoWrite, Write, builtin_tools, edit_tools,
};
pub use workspace::Workspace;
