//! Rules as predicates over facts, for [`check`](crate::check()) and for callers that have no body
//! yet.
//!
//! A condition that also holds for a typed request is here, not where a body is walked: pass facts,
//! get a fault.

pub mod markers;
pub mod message;
pub mod parameters;
pub mod platform;
pub mod schema;
pub mod strict;
pub mod tool;
