//! Building the command from this workspace.
//!
//! Several checks use the program as its users do, as a process. It has the
//! development profile, which the tests have compiled already, so a build after
//! the tests compiles nothing.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Builds the command, and returns the program's path.
///
/// The path comes from cargo's messages, so it is right with any
/// `CARGO_TARGET_DIR`.
///
/// # Errors
/// The build fails, with the compiler's messages, or names no program.
pub(crate) fn aside(root: &Path) -> Result<PathBuf> {
    let output = crate::cargo()
        .args([
            "build",
            "--quiet",
            "--package",
            "aside",
            "--message-format",
            "json",
        ])
        .current_dir(root)
        .output()
        .context("failed to run cargo build")?;
    if !output.status.success() {
        bail!("cargo build: {}", String::from_utf8_lossy(&output.stderr));
    }
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut executables = messages.lines().rev().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_aside = message["target"]["name"] == "aside";
        let executable = message["executable"].as_str()?;
        is_aside.then(|| executable.into())
    });
    executables
        .next()
        .context("cargo build names no program aside")
}
