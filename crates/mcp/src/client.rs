//! Connects to servers and offers their tools to a session.

mod connection;
mod content;
mod kinds;
mod listing;
mod options;
mod process;
mod results;
mod server;
mod servers;
mod stdio;
mod tool;
mod unread;

pub use kinds::DIAGNOSTICS;
pub use options::ConnectOptions;
pub use servers::Servers;
