#![doc = include_str!("../README.md")]

mod diagnostic;
mod dirs;
mod error;
mod import_policy;
mod loader;
mod memory;
mod memory_file;

mod checkout;
mod collect;
mod contents;
mod given;
mod path_value;
mod plain_path;
mod platform;
mod read;
mod rule;
mod rules;
mod startup;
mod touch;

mod render;

pub use diagnostic::{Diagnostic, Severity, SkipReason, Skipped};
pub use dirs::Dirs;
pub use error::{Error, ErrorKind};
pub use import_policy::ImportPolicy;
pub use loader::{Additional, AgentsMd, Loader, Mode, Sources, load};
pub use memory::Memory;
pub use memory_file::{LoadReason, MemoryFile, MemoryKind};
pub use platform::Platform;
pub use render::{instructions, user_context};
