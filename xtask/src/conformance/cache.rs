//! Compares the prompt cache model with second implementations of its rules in
//! Python, which need no package.
//!
//! The model predicts which part of a request a provider reads from its cache.
//! A mistake in it would be repeated by tests that its author wrote, so
//! `cache.py` and `openai_cache.py` implement two vendors' rules a second time,
//! without hashes and without shared state, generate random request logs, and
//! compare each of them.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{Extent, built, is_ci, say};

/// The scripts, and how many requests each compares in a full run and otherwise.
const SCRIPTS: [(&str, &str, &str); 2] =
    [("cache.py", "10000", "3000"), ("openai_cache.py", "5000", "2000")];

/// Returns true if both agree on every request, or if the comparison is skipped
/// because this machine is not CI and lacks Python.
pub(super) fn run(root: &Path, extent: Extent) -> Result<bool> {
    let aside = built::aside(root)?;
    say("conformance: the rules of the prompt cache");
    for (script, all, few) in SCRIPTS {
        let requests = if extent == Extent::Full { all } else { few };
        let mut command = Command::new("python3");
        command
            .arg("-B")
            .arg(root.join("xtask/conformance").join(script))
            .arg(&aside)
            .args(["--requests", requests])
            .current_dir(root.join("target"));
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(_) => return Ok(false),
            Err(error) if is_ci() => bail!("conformance: python3: {error}"),
            Err(error) => say(&format!("conformance: skipped: python3: {error}")),
        }
    }
    Ok(true)
}
