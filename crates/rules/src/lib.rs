#![doc = include_str!("../README.md")]

mod check;
mod finding;
mod guaranteed;

mod of_conversions;
mod refusal;
mod rule;
pub mod table;

mod checker;
mod context;
mod other_server;

mod chat;
mod gemini;
mod messages;
mod responses;

mod node;
pub mod of;
mod shapes;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_json as json;
pub use aside_models as models;

pub use aside_models::Wire;
pub use check::{check, check_tape};
pub use context::{ApiEndpoint, Context};
pub use finding::{Checked, Finding, NotChecked};
pub use guaranteed::guaranteed;
pub use messages::body::max_body_bytes;
pub use messages::markers::markers_in;
pub use messages::seen_from_clients::{SEEN_FROM_CLIENTS, SeenFromClient};
pub use refusal::RefusalText;
pub use rule::{ApiVersion, OnWire, Rule, RuleLevel};
pub use shapes::{block_kinds, is_closed_value, is_parameter};
pub use table::{RULES, find};
