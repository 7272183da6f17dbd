//! Every format, and logs that are broken.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod broken;
mod formats;
