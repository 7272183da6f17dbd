#![doc = include_str!("../README.md")]

// Input.
mod dirs;
mod import_policy;
mod load;
mod loader;
mod operating_system;

// Result.
mod error;
mod forged_headers;
mod kinds;
mod memory;
mod memory_file;
mod render;
mod skipped;

// Discovery.
mod auto_memory;
mod checkout;
mod discover;
mod lookup;
mod nested;
mod profile;
mod session;
mod setting;
mod startup;
mod touch;

// Files that are not loaded.
mod nested_walk;
mod other_agents;
mod unloaded;

// Skills.
pub mod skills;

// Loading one file.
mod admit;
mod candidate;
mod collect;
mod excludes;
mod follow;
mod given;
mod reported;

// Rules.
mod braces;
mod glob;
mod glob_literals;
mod header_keys;
mod lazy_glob;
mod other_header;
mod rule;
mod rule_base;
mod rule_index;
mod rule_walk;
mod rules;

// Text.
mod activation;
mod contents;
mod fault;
mod imports;
mod markdown;

// Files and paths.
mod path_value;
mod plain_path;
mod read;
mod shown_path;

// The crates whose types the signatures of this one name: one dependency is enough.
pub use aside_user_files as user_files;

pub use aside_diagnostic::{Diagnostic, Severity};
pub use dirs::Dirs;
pub use error::{LoadError, LoadErrorKind};
pub use import_policy::ImportPolicy;
pub use imports::{Import, imports, scan_imports};
pub use kinds::DIAGNOSTICS;
pub use load::load;
pub use loader::{Additional, AgentsMd, Loader, Mode, Sources};
pub use memory::Memory;
pub use memory_file::{InstructionBlock, LoadReason, MemoryFile, MemoryKind};
pub use operating_system::OperatingSystem;
pub use plain_path::plain_path;
pub use profile::Profile;
pub use render::{instructions, private_instructions, shared_instructions, user_context};
pub use skipped::{SkipReason, Skipped};
pub use unloaded::{LoadStatus, Unloaded, UnloadedFiles, UnloadedReason};
