#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod command_line;
mod environment;
mod variables;

mod settings;

mod auto_memory;
mod cache_settings;
mod context_window;
mod kinds;
mod output_style;
mod reminders;

#[cfg(feature = "network")]
mod credentials;
#[cfg(feature = "network")]
mod endpoint;
mod provider;
#[cfg(not(feature = "network"))]
mod serving;

mod date;
mod machine;
mod session_clock;

mod host;
mod project;
mod session_inputs;

pub use aside_messages::Uuid;
pub use command_line::CommandLine;
pub use date::now;
#[cfg(feature = "network")]
pub use endpoint::{EndpointError, EndpointErrorKind};
pub use environment::EnvVars;
pub use host::Host;
pub use kinds::DIAGNOSTICS;
pub use machine::arguments;
pub use project::project_dir;
pub use provider::ProviderSelection;
pub use reminders::reminder_manager;
pub use session_clock::{SessionClock, new_session_id};
pub use settings::{ClearToolUsesSettings, CompactionSettings, SETTINGS, Settings, SettingsError};
pub use variables::Variables;
