#![doc = include_str!("../README.md")]

// Input.
mod dirs;
mod load;
mod loader;
mod operating_system;
mod plugin;

// Result.
mod error;
mod kinds;
mod memory;
mod memory_file;
mod skipped;

// State of a memory.
mod reported;
mod session;
mod setting;

// The places of files, and the files that are not loaded.
pub mod agents;
mod definitions;
mod discover;
pub mod skills;

// Loading one file.
mod admit;
mod candidate;
mod collect;
mod links;
mod read;

// Rules with `paths`, and the text for the model.
mod render;
mod rules;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_user_files as user_files;

pub use aside_diagnostic::{Diagnostic, Severity};
pub use dirs::Dirs;
pub use discover::excludes::exclude_below;
pub use discover::profile::Profile;
pub use discover::unloaded::{LoadStatus, Unloaded, UnloadedFiles, UnloadedReason, owner_of};
pub use error::{LoadError, LoadErrorKind};
pub use kinds::DIAGNOSTICS;
pub use links::import_policy::ImportPolicy;
pub use links::imports::{Import, imports, scan_imports};
pub use links::plain_path::plain_path;
pub use load::load;
pub use loader::{Additional, AgentsMd, Loader, Mode, Sources};
pub use memory::{ChangedFile, Changes, Memory};
pub use memory_file::{InstructionBlock, LoadReason, MemoryFile, MemoryKind};
pub use operating_system::OperatingSystem;
pub use plugin::Plugin;
pub use render::forged_headers::indent_headers;
pub use render::{instructions, private_instructions, shared_instructions, user_context};
pub use skipped::{SkipReason, Skipped};
