//! A crate's dependencies.
//!
//! They are counted as cargo resolves them for this platform, with the default
//! features and without those for tests.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use super::cargo;

/// A crate and its version, such as `serde v1.0.229`.
pub(crate) type Dependency = String;

/// Returns the crates that it takes to compile a package, without itself.
///
/// `more` has more arguments for `cargo tree`, such as `--no-default-features`.
/// A crate in two versions counts twice.
pub(crate) fn dependencies(root: &Path, name: &str, more: &[&str]) -> Result<BTreeSet<Dependency>> {
    let arguments = ["tree", "--package", name, "--edges", "normal,build", "--prefix", "none"];
    let output = cargo(root, &[&arguments[..], more].concat())?;
    let lines = output.lines().filter(|line| !line.is_empty());
    // `name version (path) (*)`
    let crates = lines.map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "));
    let own = format!("{name} ");
    Ok(crates.filter(|it| !it.starts_with(&own)).collect())
}
