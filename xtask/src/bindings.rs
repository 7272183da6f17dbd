//! `cargo xtask bindings`: the packages for Python and Node, built, installed into clean places and
//! tried there by `bindings/try.py`.
//!
//! It needs `python3` with `venv`, Node with npm, and once the network. A missing one is skipped with
//! a message, or is a fault if `ASIDE_INSTALLS` is set.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{built, say};

/// The exit code of the script if a tool is missing.
const MISSING: i32 = 3;

/// How much is built and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The profile of the tests, and some of the files: for every change.
    Short,
    /// The profile of a release, and every file.
    Full,
}

/// Returns true if both packages pass their tests.
///
/// # Errors
/// If the command cannot be built.
pub(crate) fn run(root: &Path, extent: Extent) -> Result<bool> {
    let directory = root.join("bindings");
    let types = directory.join("write_types.py");
    let Ok(written) = Command::new("python3").arg(types).arg("--check").status() else {
        return Ok(is_skipped("python3 is missing"));
    };
    if !written.success() {
        return Ok(false);
    }
    let mut python = Command::new("python3");
    python
        .arg(directory.join("try.py"))
        .arg(built::aside(root)?);
    if extent == Extent::Full {
        python.arg("--full");
    }
    let status = python.status().context("failed to run bindings/try.py")?;
    match status.code() {
        Some(MISSING) => Ok(is_skipped("a tool is missing")),
        _ => Ok(status.success()),
    }
}

/// Returns true if the step may be skipped, and says so.
fn is_skipped(reason: &str) -> bool {
    let is_required = std::env::var_os("ASIDE_INSTALLS").is_some();
    let outcome = if is_required { "failed" } else { "skipped" };
    say(&format!("bindings: {outcome}: {reason}"));
    !is_required
}
