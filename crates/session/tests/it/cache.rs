//! The effect of a provider's prompt cache on the requests of a session.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod faults;
use crate::support::git;
mod laws;
mod model;
mod projects;
mod session;
