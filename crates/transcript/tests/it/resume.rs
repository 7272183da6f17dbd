//! A resumed session makes the requests that it would have made without the
//! interruption.

mod callers;
mod killed;
mod laws;
mod runner;
mod step;
