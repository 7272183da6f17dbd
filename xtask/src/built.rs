//! Building the command and the checks from this workspace.
//!
//! Several checks use the command as its users do, as a process. It has the development profile.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::output;
use anyhow::{Context, Result};

/// Names the program to other processes of this run.
pub(crate) const PROGRAM: &str = "ASIDE_PROGRAM";

/// The command that the tests use, once it is built.
static OF_TESTS: OnceLock<PathBuf> = OnceLock::new();

/// Has copies of the programs of the tests, below the directory of builds: the next build, with
/// whatever features, replaces these.
const COPIES: &str = "of-tests";

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

/// Builds the tests, and from now on uses their programs. Without them, cargo enables other features
/// of the dependencies, and compiles a quarter of them a second time.
///
/// # Errors
/// Those of [`aside`].
pub(crate) fn tests(root: &Path) -> Result<()> {
    let programs = build_all(root, &["test", "--workspace", "--no-run"])?;
    for name in ["aside", "xtask"] {
        let built = named(&programs, name)?;
        let directory = built.with_file_name(COPIES);
        let copy = directory.join(built.file_name().unwrap_or_default());
        fs::create_dir_all(&directory)?;
        fs::copy(built, &copy).with_context(|| format!("failed to copy {}", built.display()))?;
        if name == "aside" {
            OF_TESTS.get_or_init(|| copy);
        }
    }
    Ok(())
}

/// Returns the checks that were built with the tests.
///
/// # Errors
/// This run has not built the tests.
pub(crate) fn checks() -> Result<PathBuf> {
    let aside = OF_TESTS.get().context("the tests are not built")?;
    Ok(aside.with_file_name(format!("xtask{}", std::env::consts::EXE_SUFFIX)))
}

fn build(root: &Path, arguments: &[&str]) -> Result<PathBuf> {
    named(&build_all(root, arguments)?, "aside").cloned()
}

/// Returns the programs that are no tests. Their paths come from cargo's messages, so they are right
/// with any `CARGO_TARGET_DIR`.
fn build_all(root: &Path, arguments: &[&str]) -> Result<Vec<PathBuf>> {
    let mut cargo = crate::cargo();
    cargo.args(arguments).args(["--quiet", "--message-format", "json"]);
    let messages = output(cargo.current_dir(root))?;
    let executables = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let executable = message["executable"].as_str()?;
        (message["profile"]["test"] == false).then(|| executable.into())
    });
    Ok(executables.collect())
}

fn named<'a>(programs: &'a [PathBuf], name: &str) -> Result<&'a PathBuf> {
    let program = programs.iter().find(|it| it.file_stem().is_some_and(|stem| stem == name));
    program.with_context(|| format!("cargo names no program {name}"))
}
