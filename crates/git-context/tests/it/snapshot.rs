//! Snapshots of real repositories, created by the tests, which do not read the
//! configuration of the user.
#![cfg(unix)]
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
