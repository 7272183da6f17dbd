#![doc = include_str!("../README.md")]

mod inject;
mod manager;
mod reminder;
mod schedule;

pub use inject::{Injected, inject};
pub use manager::{Due, Manager};
pub use reminder::{Reminder, Source};
pub use schedule::{ConversationState, Schedule, ScheduleKind};
