#![doc = include_str!("../README.md")]

mod added;
mod bless;
mod case;
mod check;
mod clock;
mod config;
mod feature;
mod format;
mod json_path;
mod mismatch;
mod own_file;
mod play;
mod schema;
mod sections;
mod session_spec;
mod stage;
mod stand_ins;
mod turn;
mod wire;
mod world;

pub use added::{AddedSpec, Asked};
pub use aside_messages::Source;
pub use bless::{Blessed, bless};
pub use case::{Case, discover, names};
pub use check::{Failure, Fault, check};
pub use feature::{Feature, matrix};
pub use format::{CommitSpec, GitSpec, ReminderSchedule, ReminderSpec, Scenario, ToolSpec};
pub use json_path::json_path_at;
pub use mismatch::Mismatch;
pub use play::{Played, play};
pub use schema::{GeneratedFile, generated_files};
pub use sections::{SectionLifetime, SectionSpec};
pub use session_spec::{CacheSpec, Lifetime, PromptSpec};
pub use turn::{AssistantPart, Event, QueuedSpec, ToolResultSpec, ToolUseSpec};
pub use wire::ProviderSpec;
