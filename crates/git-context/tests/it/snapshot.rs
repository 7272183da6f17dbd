//! Snapshots of real repositories, created by the tests, which do not read the
//! configuration of the user.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test says what failed by failing there, in its helpers too"
)]

mod early_status;
mod environment;
use crate::support::executable;
mod failing_git;
mod fixture;
mod hostile;
mod names;
mod ordinary;
mod refused;
mod special_files;
mod truncated;
