//! Removes secrets from everything that leaves the process as a record, a log
//! line, a report or an error. Forwarded bytes are never touched.
//!
//! Each exit has one function, and each function has an allow-list:
//!
//! ```text
//! header     exact names; any other header is left out
//! path       exact names of query parameters; any other is left out
//! line       userinfo, query and fragment of each URL in an error or a note
//! body       strings by the name of their key, URLs, and whole MCP servers
//! miss       the same in the parts of a body that a cache miss quotes
//! ```
//!
//! A replacement has as many bytes as the secret, so byte offsets stay, and
//! equal secrets with 20 bytes or more have equal replacements. To redact twice
//! changes nothing.

mod body;
mod clean;
mod filler;
mod headers;
mod names;
mod output;
mod places;
mod texts;
mod unescape;
mod url;

pub use texts::Texts;

pub(crate) use body::{block, body, miss};
pub(crate) use clean::CleanBodies;
pub(crate) use headers::{credentials, has_credentials, record as headers};
pub(crate) use texts::{Recorded, redact as texts};
pub(crate) use url::{line, path, url};
