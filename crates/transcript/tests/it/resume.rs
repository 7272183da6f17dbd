//! A resumed session makes the same requests as one without the interruption.

mod callers;
mod killed;
mod laws;
mod runner;
mod step;
