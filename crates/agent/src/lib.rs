#![doc = include_str!("../README.md")]

mod config;
mod diagnostic;
mod opened;
mod prepared;
mod reminders;
mod session;
mod tool;
mod tools;

pub use config::{DEFAULT_MAX_TOKENS, DEFAULT_MODEL, Git, PromptMode, SessionConfig};
pub use diagnostic::{Area, Diagnostic};
pub use opened::Opened;
pub use prepared::Prepared;
pub use reminders::SessionTime;
pub use session::{PrepareError, Session};
pub use tool::{FileIdentity, FileRead, ReadExtent, Tool, ToolFuture, ToolOutput};
pub use tools::{SessionTool, ToolOrigin};
