#![doc = include_str!("../README.md")]

mod authored;
mod binding;
mod case;
mod changes;
mod check;
mod clock;
mod config;
mod created_repository;
mod event_entries;
mod feature;
mod format;
mod instruction_file;
mod matrix;
mod mismatch;
mod outside;
mod own_file;
mod pin;
mod play;
mod readable;
mod reported;
mod review;
mod scenario_file;
mod schema;
mod sections;
mod sourced;
mod stage;
mod stand_ins;
mod unloaded;
mod warnings;
mod wire;
mod world;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_cache_split as cache_split;
pub use aside_claudemd as claudemd;
pub use aside_prompt_sections as prompt_sections;
pub use aside_reminder as reminder;

pub use aside_cache_model::Cost;
pub use aside_messages::Layer;
pub use aside_providers::{Provider, WireDialect};
pub use case::{Case, discover, names};
pub use changes::Change;
pub use check::{CaseFailure, Checked, Fault, check, unchecked};
pub use config::excludes_above;
pub use feature::Feature;
pub use format::{
    AddedSpec, AssistantPart, CacheSpec, CommitSpec, GitSpec, InstructionSwitch, MarkerTtl,
    PlatformSpec, PromptSpec, QueuedSpec, ReminderSpec, Scenario, ScenarioEvent, SectionLifetime,
    SectionSpec, ToolResultSpec, ToolSpec, ToolUseSpec, ToolsSpec, True,
};
pub use matrix::matrix;
pub use mismatch::Mismatch;
pub use own_file::{create_file, replace_file};
pub use pin::Pin;
pub use play::{Played, play};
pub use reported::Reported;
pub use review::{
    Accepted, Baseline, Checkout, DistinctChange, Lost, RequestFigures, RequestReview, Review,
    RevisionRequests, Scope, Settled, TeamReview,
};
pub use schema::{GeneratedFile, generated_files};
pub use warnings::warnings;
