//! A session that is taken up again makes the requests that it would have
//! made.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod killed;
mod laws;
mod runner;
mod step;
