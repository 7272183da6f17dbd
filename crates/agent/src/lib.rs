#![doc = include_str!("../README.md")]

mod cache_options;
mod config;
mod diagnostic;
mod opened;
mod prefix;
mod prepared;
mod prompt_options;
mod prompt_report;
mod reminders;
mod sections;
mod session;
mod tool;
mod tools;

pub use cache_options::CacheOptions;
pub use config::{DEFAULT_MAX_TOKENS, DEFAULT_MODEL, Git, PromptMode, SessionConfig};
pub use diagnostic::{Area, Diagnostic};
pub use opened::Opened;
pub use prepared::Prepared;
pub use prompt_options::{AgentDefinition, Coordinator, PromptOptions};
pub use prompt_report::{Fate, PromptReport, SectionReport};
pub use reminders::SessionTime;
pub use session::{PrepareError, Session};
pub use tool::{FileIdentity, FileRead, ReadExtent, Tool, ToolFuture, ToolOutput};
pub use tools::{SessionTool, ToolOrigin};
