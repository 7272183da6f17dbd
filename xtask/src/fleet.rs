//! The examples in `docs/fleet.md`: xargs, DuckDB and Spark against one process.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{built, say};

/// Runs the comparison in `docs/fleet/check.py`. It skips DuckDB and Spark if they are missing;
/// without Python everything is skipped.
///
/// # Errors
/// The command cannot be built, or its directory cannot be added to `PATH`.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let aside = built::aside(root)?;
    let bin = aside.parent().context("the program has no directory")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path));
    let mut check = Command::new("python3");
    check
        .arg(root.join("docs/fleet/check.py"))
        .env("PATH", std::env::join_paths(all)?);
    let Ok(status) = check.status() else {
        say("fleet: skipped, there is no python3");
        return Ok(true);
    };
    Ok(status.success())
}
