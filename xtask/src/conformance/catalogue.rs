//! Looks up every model id in the official SDKs in the catalogue.
//!
//! A model that an SDK knows and the catalogue does not would get default
//! limits and prices. This check finds it with the SDK release that adds it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::python::Python;
use crate::say;

/// Returns true if the catalogue has a row for every id.
///
/// Otherwise prints the unknown ids, and where a row belongs.
///
/// # Errors
/// The SDKs name fewer than 100 ids, which means that the list is read from the
/// wrong place.
pub(super) fn run(python: &Python, aside: &Path) -> Result<bool> {
    let ids = python.output("model_ids.py")?;
    let ids: Vec<&str> = ids.lines().collect();
    // Fewer mean that the types have moved.
    ensure!(ids.len() >= 100, "only {} ids in the SDKs", ids.len());
    let looked_up = Command::new(aside)
        .arg("models")
        .args(&ids)
        .output()
        .context("failed to run aside models")?;
    if looked_up.status.success() {
        say(&format!("{} model ids, each with a row", ids.len()));
        return Ok(true);
    }
    say(String::from_utf8_lossy(&looked_up.stderr).trim());
    say("add a row to the file of the vendor in crates/models/src, with `as_of` and `source`; \
         leave out what the source does not say");
    Ok(false)
}
