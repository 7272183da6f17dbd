//! Rules as predicates, for callers that have no body yet.

pub mod tool;
