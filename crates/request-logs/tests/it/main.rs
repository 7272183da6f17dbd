//! Every format, and broken logs.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod broken;
mod formats;
mod recorded;
mod sessions;
