#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod condition;
mod expression;
mod reminder;
mod schedule;
mod state;

mod due;
mod inject;
mod json;
mod manager;
mod moment;
mod tally;
mod template;

mod builtin;
mod definition;
mod duration;
#[cfg(feature = "files")]
mod plugin;
mod scalar;
mod unknown_keys;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_messages as messages;
#[cfg(feature = "files")]
pub use aside_user_files as user_files;

pub use aside_diagnostic::{Diagnostic, Severity};
/// Types in this crate's signatures.
pub use aside_messages::wire;
pub use builtin::{
    AvailableSkill, CONVERSATION_LENGTH, SKILL_AVAILABILITY, conversation_length,
    skill_availability,
};
pub use condition::{Condition, Predicate};
pub use definition::Definition;
pub use due::{Due, append, entries, render};
pub use duration::{DurationError, DurationErrorKind, format_duration, parse_duration};
pub use expression::{Expression, UnknownExpression};
pub use inject::{Injected, inject};
pub use json::{append_json, inject_json};
pub use manager::{ConditionPanic, Counters, Manager, ReminderStatus, Snapshot};
pub use moment::Moment;
#[cfg(feature = "files")]
pub use plugin::{
    DIAGNOSTICS, Loaded, PluginFile, ReminderLoader, advice, file_faults, load_path, parse_file,
};
pub use reminder::{Reminder, ReminderDelivery, ReminderSource};
pub use schedule::{Schedule, ScheduleKind, ScheduleName};
pub use state::{ConversationState, RecentCall, RepeatedCall};
pub use tally::Tally;
pub use template::{TemplateValues, unknown_placeholders};
pub use unknown_keys::UnknownKeys;
