//! Plans of requests.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod checkpoints;
mod places;
mod setting;
