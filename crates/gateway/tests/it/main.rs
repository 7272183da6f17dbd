//! Tests through the public API, in one program: each program costs a link.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

#[path = "../../../git-context/tests/it/support/cases.rs"]
mod cases;
mod http;
mod place;
mod strict;
