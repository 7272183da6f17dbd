//! The effect of a provider's prompt cache on the requests of a session.

mod faults;
use crate::support::git;
mod laws;
mod model;
mod projects;
mod session;
