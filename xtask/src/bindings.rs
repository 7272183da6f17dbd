//! `cargo xtask bindings`: builds the packages for Python and Node, installs them into clean places
//! and tries them there with `bindings/try.py`.
//!
//! It needs `python3` with `venv`, Node with npm, and once the network. When one is missing, the
//! step is skipped with a message, or fails if `ASIDE_INSTALLS` is set.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{Extent, built, say};

/// The script's exit code when a tool is missing.
const MISSING: i32 = 3;

/// Returns true if both packages pass their tests: with the test profile and
/// some of the files, or in full with the release profile and every file.
///
/// # Errors
/// The command cannot be built.
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
    python.arg(directory.join("try.py")).arg(built::aside(root)?);
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
