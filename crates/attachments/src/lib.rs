#![doc = include_str!("../README.md")]

mod queued_command;

pub use queued_command::{QueuedCommand, QueuedOrigin};
