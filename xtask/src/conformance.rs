//! Checks every golden request against the types in the official SDKs, and the
//! rules of `aside check` and the model catalogue against the same types; the
//! prompt cache model against a second implementation; and token estimates
//! against tokenizers.
//!
//! The SDKs are Python packages, so the checks are Python programs in
//! `xtask/conformance`, which this module starts.
//!
//! The golden files show that bytes do not change; this check shows that an API
//! accepts them. It finds, for example, a key that the wire does not know, a
//! content block at a place that the types do not permit, and a rule of `aside
//! check` that is stricter than the SDK.
//!
//! It needs Python 3.11 and, the first time, the network. The packages are
//! installed below `target/conformance` with pinned hashes and are used again
//! while the version lists are the same. Without Python the check is skipped on
//! a contributor's machine, and fails on CI.

mod cache;
mod catalogue;
mod conversions;
mod golden;
mod python;
mod tokens;

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::conformance::golden::Golden;
use crate::conformance::python::{Python, Rules, Shapes};
use crate::{Extent, built, is_ci, say};

/// For shapes generated from the types.
const SHAPES: &str = "crates/rules/src/shapes/sdk";

/// Writes the closed key sets in the SDKs' types, which `aside check` reads.
///
/// # Errors
/// There is no Python, or no network for the first time.
pub(crate) fn update(root: &Path) -> Result<bool> {
    Python::ready(root)?.shapes(&root.join(SHAPES), Shapes::Write)
}

/// Returns true if every body conforms, or if the check is skipped because this
/// machine is not CI and lacks Python.
///
/// The Messages bodies are validated twice, with an older and the current SDK,
/// each with the rules of `aside check` for its version of the API.
///
/// # Errors
/// A golden file has no type in the table, or a program could not be started. A
/// body that does not conform is `Ok(false)`.
pub(crate) fn run(root: &Path, extent: Extent) -> Result<bool> {
    let agrees = cache::run(root, extent)?;
    let python = match Python::ready(root) {
        Ok(python) => python,
        Err(error) if is_ci() => bail!("conformance: {error:#}"),
        Err(error) => {
            say(&format!("conformance: skipped: {error:#}"));
            return Ok(agrees);
        }
    };
    let mut golden = golden::all(root)?;
    let aside = built::aside(root)?;
    let converted = conversions::all(root, &aside, &python.directory().join("conversions"))?;
    golden.extend(converted);
    let anthropic: Vec<&Golden> =
        golden.iter().filter(|golden| golden.wire == "anthropic").collect();
    let others: Vec<&Golden> = golden.iter().filter(|golden| golden.wire != "anthropic").collect();
    say("conformance: model ids");
    let mut good = agrees & catalogue::run(&python, &aside)?;
    good &= python.shapes(&root.join(SHAPES), Shapes::Compare)?;
    say("conformance: token estimates");
    good &= tokens::run(root, &python)?;
    for (name, golden, library, version) in [
        (python::OLD_ANTHROPIC, &anthropic, Some(python.older()), Some("2023-06-01")),
        ("anthropic 2.12.0", &anthropic, None, Some("2026-10-21")),
        ("openai 3.54.0, google-genai 3.4.0", &others, None, None),
    ] {
        let manifest = python.directory().join("manifest.json");
        std::fs::write(&manifest, serde_json::to_vec(golden)?)
            .with_context(|| format!("failed to write {}", manifest.display()))?;
        say(&format!("conformance: {name}"));
        let rules = Rules { aside: &aside, version };
        good &= python.check(&manifest, library.as_deref(), rules)?;
    }
    Ok(good)
}
