#![doc = include_str!("../README.md")]

mod builtin;
mod condition;
mod definition;
mod due;
mod expression;
mod go_duration;
mod inject;
mod manager;
mod plugin;
mod reminder;
mod scalar;
mod schedule;
mod state;
mod tally;
mod template;
mod unknown_keys;

pub use builtin::{
    CONVERSATION_LENGTH, SKILL_AVAILABILITY, Skill, conversation_length, skill_availability,
};
pub use condition::{Condition, Predicate};
pub use definition::Definition;
pub use due::{Due, entries, render};
pub use expression::{Expression, Unknown};
pub use go_duration::{format_duration, parse_duration};
pub use inject::{Injected, inject};
pub use manager::{ConditionFault, Counters, Listed, Manager, Moment, Snapshot};
pub use plugin::{
    Diagnostic, Loaded, Loader, PluginFile, Severity, advice, load_path, load_paths, parse_file,
};
pub use reminder::{Delivery, Reminder, Source};
pub use schedule::{Schedule, ScheduleKind};
pub use state::{Call, ConversationState, Repeated};
pub use tally::Tally;
pub use template::{Values, unknown_names};
pub use unknown_keys::UnknownKeys;
