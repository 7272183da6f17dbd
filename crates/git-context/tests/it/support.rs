//! Shared by several tests.

pub(crate) mod executable;
