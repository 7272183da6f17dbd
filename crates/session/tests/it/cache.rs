//! What a provider's prompt cache makes of a session's requests.

mod faults;
use crate::support::git;
mod laws;
mod model;
mod projects;
mod session;
