//! Building the command from this workspace.
//!
//! Several checks use the program as its users do, as a process. It has the development profile.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::output;
use anyhow::{Context, Result};

/// Names the program to other processes of this run.
pub(crate) const PROGRAM: &str = "ASIDE_PROGRAM";

/// The program that the tests use, once it is built.
static OF_TESTS: OnceLock<PathBuf> = OnceLock::new();

/// Returns the program's path: the one of the tests, if this run has built them, or a new build.
///
/// # Errors
/// The build fails, with the compiler's messages, or names no program.
pub(crate) fn aside(root: &Path) -> Result<PathBuf> {
    match of_tests() {
        Some(program) => Ok(program),
        None => build(root, &["build", "--package", "aside"]),
    }
}

/// Returns the program of the tests, if this run or the one that started it has built them.
pub(crate) fn of_tests() -> Option<PathBuf> {
    let named = || std::env::var_os(PROGRAM).map(PathBuf::from);
    OF_TESTS.get().cloned().or_else(named)
}

/// Builds the tests, and from now on uses their program. Without them, cargo enables other features
/// of the dependencies, and compiles a quarter of them a second time.
///
/// # Errors
/// Those of [`aside`].
pub(crate) fn tests(root: &Path) -> Result<()> {
    let built = build(root, &["test", "--workspace", "--no-run"])?;
    // The next build of the command, with whatever features, replaces it.
    let directory = built.with_file_name("of-tests");
    let program = directory.join(built.file_name().unwrap_or_default());
    fs::create_dir_all(&directory)?;
    fs::copy(&built, &program).context("failed to copy the program of the tests")?;
    OF_TESTS.get_or_init(|| program);
    Ok(())
}

/// The path comes from cargo's messages, so it is right with any `CARGO_TARGET_DIR`.
fn build(root: &Path, arguments: &[&str]) -> Result<PathBuf> {
    let mut cargo = crate::cargo();
    cargo.args(arguments).args(["--quiet", "--message-format", "json"]);
    let messages = output(cargo.current_dir(root))?;
    let mut executables = messages.lines().rev().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_aside = message["target"]["name"] == "aside" && message["profile"]["test"] == false;
        let executable = message["executable"].as_str()?;
        is_aside.then(|| executable.into())
    });
    executables.next().context("cargo names no program aside")
}
