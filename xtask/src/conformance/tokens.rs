//! Compares token estimates with the tokenizers that they are fitted to.
//!
//! `crates/models` estimates tokens from characters. That crate's example
//! program estimates each text in its tests, and the tokenizers count it;
//! `tokens.py` prints each error and has the limits.

use std::fs;
use std::path::{Path, PathBuf};

use crate::output;
use anyhow::{Context, Result};

use super::python::Python;

/// The texts in the estimate tests, with a table of their tokens.
const TEXTS: &str = "crates/models/tests/texts";

/// Prints each text's error. Returns true if the table is right and no error is
/// too large.
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

/// Returns what the crate's example program estimates.
///
/// Its output has a line for each text, in argument order.
fn estimated(root: &Path, texts: &[PathBuf]) -> Result<String> {
    let mut cargo = crate::cargo();
    cargo
        .args(["run", "--quiet", "--package", "aside-models"])
        .args(["--example", "estimate", "--"])
        .args(texts);
    output(cargo.current_dir(root))
}
