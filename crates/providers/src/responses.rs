//! OpenAI's Responses, as OpenAI and xAI have it.
//!
//! Every request is stateless: it holds all items, and the server stores nothing.
//! Reasoning is encrypted, and returns to the server in its place.
//!
//! ```text
//! tool_use            function_call item
//! tool_result         function_call_output item, in the order of the calls
//! thinking            reasoning item, restored from the signature of the block
//! redacted_thinking   compaction item, restored in the same way
//! system message      developer message in place
//! text of the model   assistant message
//! ```
//!
//! `request` writes everything before the conversation, and `input` the conversation:
//! `message` makes items from a message, and `item` writes them. `stream` reads events, and
//! a whole response, into `output`, which orders the items.

mod form;
mod input;
mod item;
mod message;
mod models;
mod namespace;
mod output;
mod parameters;
mod part;
mod reasoning;
mod request;
mod stream;
mod system;
mod tool_changes;
mod tools;

pub(crate) use input::Writer;
pub(crate) use models::is_older;
pub use namespace::in_namespace;
pub(crate) use reasoning::{Reasoning, seal, seal_compaction, seal_phase};
pub(crate) use request::head;
pub(crate) use stream::Reader;
pub(crate) use tool_changes::inline;
