//! Compares token estimates with the tokenizers that they are fitted to.
//!
//! `crates/models` estimates tokens from characters. Each text of its tests is
//! estimated by the example program of that crate and counted by the
//! tokenizers; `tokens.py` prints the error of each and has the limits.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::python::Python;

/// The texts of the tests of estimates, with a table of their tokens.
const TEXTS: &str = "crates/models/tests/texts";

/// Prints the error of each text. Returns true if the table is right and no
/// error is too large.
pub(super) fn run(root: &Path, python: &Python) -> Result<bool> {
    let directory = root.join(TEXTS);
    let estimates = python.directory().join("estimates.tsv");
    fs::write(&estimates, estimated(root, &texts(&directory)?)?)
        .with_context(|| format!("failed to write {}", estimates.display()))?;
    python.tokens(&directory.join("counts.tsv"), &estimates)
}

/// Returns the texts in order.
///
/// Only `*.txt` files count; the directory also holds the table.
fn texts(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory)
        .with_context(|| format!("failed to read {}", directory.display()))?;
    let mut texts = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "txt") {
            texts.push(path);
        }
    }
    texts.sort();
    Ok(texts)
}

/// Returns the estimates of the example program of the crate.
///
/// The output has a line for each text, in the order of the arguments.
fn estimated(root: &Path, texts: &[PathBuf]) -> Result<Vec<u8>> {
    let output = crate::cargo()
        .args(["run", "--quiet", "--package", "aside-models"])
        .args(["--example", "estimate", "--"])
        .args(texts)
        .current_dir(root)
        .output()
        .context("failed to run the example estimate")?;
    if !output.status.success() {
        bail!("estimate: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}
