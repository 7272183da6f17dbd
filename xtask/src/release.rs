//! `cargo xtask release --dry-run`: everything of a release but the keys.
//!
//! | step | result |
//! |---|---|
//! | versions | one for the crates, the packages for Python and Node, and the changelog |
//! | order | the crates, each after those that it depends on |
//! | packages | every crate built from its own package; archive, wheels and npm packages installed and used |
//! | `target/dist` | all files for the registries, `SHA256SUMS`, and a bill of materials |
//! | install lines | each command of a README that installs something, run against these files |
//!
//! `--short` builds the programs of the tests and one crate from its package. What only a
//! maintainer can decide is listed at the end, and is no fault.

mod install_lines;
mod versions;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::package::{Metadata, checksums};
use crate::{Extent, bindings, package, report, say};

/// Rehearses a release, with the programs of the tests or in full with those of
/// a release. Returns true if there was no fault.
///
/// # Errors
/// A package cannot be built, or a file cannot be read.
pub(crate) fn rehearse(root: &Path, extent: Extent) -> Result<bool> {
    let metadata = Metadata::read(root)?;
    let version = metadata.command()?.version.clone();
    let mut faults = versions::faults(root, &metadata, &version)?;
    say("release: order of publishing");
    for (package, number) in metadata.in_order_of_publishing().iter().zip(1..) {
        say(&format!("{number:>4}  {} {}", package.name, package.version));
    }
    if !package::run(root, extent.of_packages())? {
        faults.push("package: see above".to_owned());
    }
    if !bindings::run(root, extent)? {
        faults.push("bindings: see above".to_owned());
    }
    gather(root, &metadata, &version)?;
    let dist = metadata.target_directory().join("dist");
    faults.extend(install_lines::faults(root, &dist, extent)?);
    let is_good = report("release", &faults);
    say("release: left for the day");
    for step in versions::undecided(root, &version)? {
        say(&format!("      {step}"));
    }
    say("      keys of crates.io, PyPI and npm");
    Ok(is_good)
}

/// Puts the packages for Python and Node next to those of the command, and writes the bill
/// of materials and the checksums of all.
fn gather(root: &Path, metadata: &Metadata, version: &str) -> Result<()> {
    let dist = metadata.target_directory().join("dist");
    let others = metadata.target_directory().join("dist-bindings");
    for entry in fs::read_dir(&others).with_context(|| others.display().to_string())? {
        let entry = entry?;
        fs::copy(entry.path(), dist.join(entry.file_name()))?;
    }
    let bill = dist.join(format!("aside-{version}.cdx.json"));
    fs::write(&bill, package::bill_of_materials(root, metadata)?.bytes)?;
    let mut files = Vec::new();
    for entry in fs::read_dir(&dist)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name != "SHA256SUMS") {
            files.push(path);
        }
    }
    files.sort_unstable();
    let paths: Vec<&Path> = files.iter().map(|path| &**path).collect();
    let sums = checksums(&paths)?;
    fs::write(dist.join("SHA256SUMS"), &sums)?;
    say(&format!("release: {} files in {}", files.len(), dist.display()));
    say(sums.trim_end());
    Ok(())
}
