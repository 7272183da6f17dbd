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
mod mcp_approvals;
mod mcp_servers;
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
mod invocation;
mod live_settings;
mod plugins;
mod project;
mod session_inputs;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_cache_split as cache_split;
pub use aside_claudemd as claudemd;
pub use aside_diagnostic as diagnostic;
pub use aside_mcp as mcp;
pub use aside_messages as messages;
pub use aside_prompt_sections as prompt_sections;
pub use aside_providers as providers;
pub use aside_reminder as reminder;
pub use aside_session as session;
#[cfg(feature = "network")]
pub use aside_transport as transport;

pub use aside_messages::Uuid;
pub use command_line::{CommandLine, DocumentedSystem};
pub use date::date_of;
#[cfg(feature = "network")]
pub use endpoint::EndpointError;
pub use environment::EnvVars;
pub use host::Host;
pub use invocation::Invocation;
pub use kinds::DIAGNOSTICS;
pub use machine::{arguments, terminal_width, terminate};
pub use mcp_servers::McpSelection;
pub use project::{project_dir, repository_files};
pub use provider::{CompatibleKeys, ProviderSelection};
pub use reminders::reminder_manager;
pub use session_clock::{SessionClock, new_session_id};
pub use settings::{
    ClearToolUsesSettings, CompactionSettings, Hook, McpEntries, SETTINGS, Settings, SettingsError,
};
pub use variables::Variables;
