//! Running pip and npm quietly, and without package scripts.
//!
//! Neither runs a package's code during installation: npm has
//! `--ignore-scripts`, and pip's callers allow wheels only. A package that
//! would need a script does not work here, by intent.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Returns the command that creates a virtual environment in a directory.
///
/// Empties an existing environment first. It needs `python3` with the module
/// `venv`, which some distributions package apart.
pub(crate) fn venv(directory: &Path) -> Command {
    let mut command = Command::new("python3");
    command.args(["-m", "venv", "--clear"]).arg(directory);
    command
}

/// Returns `pip install` for a Python.
///
/// The caller adds the packages, and the restrictions.
pub(crate) fn pip_install(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "install", "--quiet"]);
    command.arg("--disable-pip-version-check");
    command
}

/// Returns `pip install` for the wheels in a list of versions with hashes.
///
/// The list names its packages' dependencies, too. pip does not look for
/// others: it would take the newest version of one that is needed with an
/// extra, and refuse it for its hash.
pub(crate) fn pip_install_list(python: &Path, list: &Path) -> Command {
    let mut command = pip_install(python);
    command.args(["--no-deps", "--require-hashes", "--only-binary", ":all:"]);
    command.arg("--requirement").arg(list);
    command
}

/// Returns an npm command that installs packages.
///
/// The subcommand is `ci` for the versions in a lock file, or `install`. On
/// Windows npm is a script, which has to be started with its extension.
pub(crate) fn npm(subcommand: &str) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.args([subcommand, "--ignore-scripts", "--no-audit", "--no-fund"]);
    command.arg("--loglevel=error");
    command
}

/// Runs an installer that loads packages, a second time if it fails: a registry
/// may be out of reach for a moment.
///
/// # Errors
/// Those of [`run`].
pub(crate) fn run_online(command: &mut Command) -> Result<()> {
    run(command).or_else(|_| run(command))
}

/// Runs an installer. Its last line is the error.
///
/// # Errors
/// The program is missing or fails. Its complete output is not printed, since
/// pip and npm repeat their reason in the last line.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_owned();
    let output =
        command.output().with_context(|| format!("failed to run {}", program.display()))?;
    if !output.status.success() {
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let last = text.trim().lines().next_back().unwrap_or_default();
        bail!("{}: {last}", program.display());
    }
    Ok(())
}
