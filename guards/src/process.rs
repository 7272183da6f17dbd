//! A process that is counted alone.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, anyhow};

use crate::counted::Counter;

/// Lets a command run in a directory, with an empty home and no other variable.
pub(crate) fn alone_in<'c>(command: &'c mut Command, directory: &Path) -> &'c Command {
    let path = std::env::var_os("PATH").map(|path| ("PATH", path));
    let command = command.current_dir(directory).env_clear().envs(path);
    command.env("HOME", directory.join("home"))
}

/// Counts a process alone, without its child processes.
pub(crate) fn instructions(command: &Command) -> Result<f64> {
    Counter::own_instructions(command).map_err(|error| anyhow!("{error}"))
}
