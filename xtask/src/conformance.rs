//! Checks every golden request against the types of the official SDKs.
//!
//! The SDKs are Python packages, so the check is a Python program in
//! `xtask/conformance`, which this module starts.

mod golden;
mod python;

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::conformance::golden::Golden;
use crate::conformance::python::Python;
use crate::{is_ci, say};

/// Returns true if every body conforms, or if the check is skipped because this
/// machine is not CI and lacks Python.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let python = match Python::ready(root) {
        Ok(python) => python,
        Err(error) if is_ci() => bail!("conformance: {error:#}"),
        Err(error) => {
            say(&format!("conformance: skipped: {error:#}"));
            return Ok(true);
        }
    };
    let golden = golden::all(root)?;
    let anthropic: Vec<&Golden> = golden
        .iter()
        .filter(|golden| golden.wire == "anthropic")
        .collect();
    let others: Vec<&Golden> = golden
        .iter()
        .filter(|golden| golden.wire != "anthropic")
        .collect();
    let mut good = true;
    for (name, golden, library) in [
        (python::OLD_ANTHROPIC, &anthropic, Some(python.older())),
        ("anthropic 2.11.0", &anthropic, None),
        ("openai 3.54.0, google-genai 3.4.0", &others, None),
    ] {
        let manifest = python.directory().join("manifest.json");
        std::fs::write(&manifest, serde_json::to_vec(golden)?)
            .with_context(|| format!("failed to write {}", manifest.display()))?;
        say(&format!("conformance: {name}"));
        good &= python.check(&manifest, library.as_deref())?;
    }
    Ok(good)
}
