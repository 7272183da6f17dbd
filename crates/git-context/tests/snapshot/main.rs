//! Snapshots of real repositories, made on the spot. Nothing here reads the
//! configuration of whoever runs the tests.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test says what failed by failing there, in its helpers too"
)]

mod early_status;
mod environment;
mod failing_git;
mod fixture;
mod hostile;
mod names;
mod ordinary;
mod refused;
mod special_files;
mod truncated;
