//! Snapshots of real repositories, made on the spot. Nothing here reads the
//! configuration of whoever runs the tests.
#![cfg(unix)]

mod environment;
mod failing_git;
mod fixture;
mod hostile;
mod names;
mod ordinary;
mod refused;
mod truncated;
