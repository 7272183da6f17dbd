//! Compares the model of the prompt cache with a second implementation of its
//! rules in Python, which needs no package.
//!
//! The model predicts which part of a request a provider reads from its cache.
//! A mistake in it would be repeated by tests that its author wrote, so
//! `cache.py` implements the rules a second time, without hashes and without
//! shared state, generates random logs of requests, and compares hit and
//! markers of every request.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{built, is_ci, say};

/// How many requests are compared.
const REQUESTS: &str = "10000";

/// Returns true if both agree on every request, or if the comparison is skipped
/// because this machine is not CI and lacks Python.
pub(super) fn run(root: &Path) -> Result<bool> {
    let aside = built::aside(root)?;
    say("conformance: the rules of the prompt cache");
    let mut command = Command::new("python3");
    command
        .arg("-B")
        .arg(root.join("xtask/conformance/cache.py"))
        .arg(aside)
        .args(["--requests", REQUESTS])
        .current_dir(root.join("target"));
    match command.status() {
        Ok(status) => Ok(status.success()),
        Err(error) if is_ci() => bail!("conformance: python3: {error}"),
        Err(error) => {
            say(&format!("conformance: skipped: python3: {error}"));
            Ok(true)
        }
    }
}
