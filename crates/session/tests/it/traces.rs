//! What whole traces cost against the bound, replayed through a model of the provider's cache.
//!
//! `cargo test -p aside-session --test it traces -- --nocapture` prints the tables; with
//! `PROPTEST_CASES=1024`, for all traces.
//!
//! The traces have these sizes, in tokens: tools 11,000 in 15 definitions, system prompt 12,000,
//! instruction files 2,500, results 550 each.

mod clearing;
mod figures;
use crate::support::git;
mod goals;
mod lengths;
mod price;
mod project;
mod replay;
mod trace;
mod unavoidable;
