//! Snapshots of real repositories, which the tests create without reading the
//! user's configuration.
#![cfg(unix)]
mod early_status;
mod environment;
use crate::support::executable;
mod failing_git;
mod fixture;
mod hostile;
mod names;
mod ordinary;
mod other_repositories;
mod refused;
mod special_files;
mod truncated;
