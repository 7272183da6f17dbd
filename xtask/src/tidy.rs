//! Checks the architecture: each crate's dependencies, and its access to the machine.
//!
//! Each check reads manifests or sources as text and reports faults as lines that begin with its
//! name:
//!
//! | check | protects | a fault |
//! |---|---|---|
//! | `edges` | a crate is usable alone | `edge: aside-messages may not depend on tokio …` |
//! | `powers` | time and files come in as arguments | `power: …:12: … may not use std::env here …` |
//! | `files` | each crate has a manual | `files: the README of … has no example` |
//! | `texts` | every text for the model is in a golden | `texts: …:12: no golden has "…": add …` |
//! | `circles` | files can be moved one by one | `circle: …: these files use each other: …` |
//! | `reexports` | a crate is enough for its users | `re-export: …: a public signature of … names Body …` |
//! | `supply` | no dependency has another licence or source | `licence: …: "GPL-3.0" is not in deny.toml` |
//!
//! The checks need no compiler, only `cargo metadata`, and are also a unit test of this program.
//! They always run together: `cargo xtask tidy`, or `cargo test --package xtask tidy` with their
//! own tests.

mod circles;
mod edges;
mod files;
mod paths;
mod powers;
mod reexports;
mod shared;
mod supply;

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Deserialize;
use walkdir::WalkDir;

use crate::{output, read, report};

/// Packages that are no part of the product, and are not published: no user needs a manual for
/// them.
const TOOLS: [&str; 3] = ["aside-attacks", "aside-guards", "xtask"];

/// Prints the faults, and returns true if there are none.
pub(crate) fn run(root: &Path) -> Result<bool> {
    Ok(report("tidy", &faults(root)?))
}

/// Returns the faults of all checks, in table order.
fn faults(root: &Path) -> Result<Vec<String>> {
    let packages = packages(root)?;
    let mut faults = edges::check(&packages);
    faults.extend(edges::unused(&packages));
    faults.extend(powers::check(root, &packages)?);
    faults.extend(files::check(root, &packages)?);
    faults.extend(circles::check(&packages)?);
    faults.extend(reexports::check(&packages)?);
    faults.extend(shared::check(root, &packages)?);
    faults.extend(supply::check(root)?);
    faults.extend(crate::coverage::faults(root)?);
    Ok(faults)
}

/// A package in the workspace.
///
/// Part of what `cargo metadata` prints:
///
/// ```json
/// {
///   "name": "aside-text",
///   "manifest_path": "/aside/crates/text/Cargo.toml",
///   "dependencies": [{"name": "serde", "kind": null}]
/// }
/// ```
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Package {
    /// The name in the manifest: `aside-text`; `aside` is the command.
    pub(crate) name: String,
    /// The absolute path of its `Cargo.toml`.
    pub(crate) manifest_path: String,
    /// Direct dependencies of all kinds, also for other platforms and features.
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` for an ordinary one, else `dev` or `build`.
    pub(crate) kind: Option<String>,
}

/// What `cargo metadata --no-deps` prints; other keys are left out.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// Returns the workspace's packages, sorted by name.
///
/// # Errors
/// cargo is missing or a manifest is invalid.
pub(crate) fn packages(root: &Path) -> Result<Vec<Package>> {
    let metadata = ["metadata", "--format-version", "1", "--no-deps"];
    let json = output(crate::cargo().args(metadata).current_dir(root))?;
    let mut metadata: Metadata = serde_json::from_str(&json)?;
    metadata.packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(metadata.packages)
}

impl Package {
    /// Returns the directory below `crates`: the package without `aside-`.
    pub(crate) fn crate_name(&self) -> &str {
        match self.name.as_str() {
            "aside" => "cli",
            name => name.strip_prefix("aside-").unwrap_or(name),
        }
    }

    /// Returns true for a program in the workspace that is no part of the product.
    fn is_tool(&self) -> bool {
        TOOLS.contains(&self.name.as_str())
    }

    /// Returns the files of Rust below `src` except those of tests, in order, with
    /// their texts.
    fn sources(&self) -> Result<Vec<(PathBuf, String)>> {
        let mut sources = Vec::new();
        for entry in WalkDir::new(self.directory().join("src")).sort_by_file_name() {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy();
            if name.ends_with(".rs") && name != "tests.rs" {
                sources.push((entry.path().to_owned(), read(entry.path())?));
            }
        }
        Ok(sources)
    }

    pub(crate) fn directory(&self) -> &Path {
        let manifest = Path::new(&self.manifest_path);
        manifest.parent().unwrap_or(manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_is_tidy() {
        assert_eq!(faults(&crate::root()).unwrap(), Vec::<String>::new());
    }
}
