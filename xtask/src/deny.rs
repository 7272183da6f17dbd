//! `cargo deny`: licences, bans, sources and advisories, by `deny.toml`.
//!
//! `tidy` checks the first three without it. On a machine without `cargo-deny` it is skipped with a
//! message; so are the advisories when their database cannot be fetched.

use std::path::Path;

use anyhow::{Context, Result};

use crate::say;

/// Returns true if `cargo deny` finds no fault, or is skipped.
///
/// # Errors
/// cargo cannot be started.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let deny = |arguments: &[&str]| {
        let mut command = crate::cargo();
        command.arg("deny").args(arguments).current_dir(root);
        command.output().context("failed to run cargo deny")
    };
    if !deny(&["--version"])?.status.success() {
        say("deny: skipped: cargo-deny is not installed");
        return Ok(true);
    }
    let mut is_good = true;
    for check in ["licenses", "bans", "sources", "advisories"] {
        let output = deny(&["--color", "never", "check", check])?;
        let errors = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            continue;
        }
        if check == "advisories" && errors.contains("advisory database") {
            say("deny: advisories skipped: their database cannot be had");
            continue;
        }
        say(&format!("deny: {check}: {}", errors.trim()));
        is_good = false;
    }
    Ok(is_good)
}
