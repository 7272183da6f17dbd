//! A resumed session makes the requests that it would have made without the
//! interruption.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod killed;
mod laws;
mod runner;
mod step;
