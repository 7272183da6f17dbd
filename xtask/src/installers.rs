//! Commands of pip and npm: quiet, and without scripts of the packages.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Returns the command that creates a virtual environment in a directory.
pub(crate) fn venv(directory: &Path) -> Command {
    let mut command = Command::new("python3");
    command.args(["-m", "venv", "--clear"]).arg(directory);
    command
}

/// Returns `pip install` of a Python.
pub(crate) fn pip_install(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "install", "--quiet"]);
    command.arg("--disable-pip-version-check");
    command
}

/// Returns a command of npm that installs packages.
pub(crate) fn npm(subcommand: &str) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.args([subcommand, "--ignore-scripts", "--no-audit", "--no-fund"]);
    command.arg("--loglevel=error");
    command
}

/// Runs an installer. Its last line is the error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_owned();
    let output = command
        .output()
        .with_context(|| format!("failed to run {}", program.display()))?;
    if !output.status.success() {
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let last = text.trim().lines().next_back().unwrap_or_default();
        bail!("{}: {last}", program.display());
    }
    Ok(())
}
