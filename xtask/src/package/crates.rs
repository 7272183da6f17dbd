//! The crates' packages, as a registry gets them.
//!
//! crates.io limits the sizes, and users compare numbers of dependencies, so
//! both are printed with every run.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::manifests::Metadata;
use super::{Extent, cargo, tree};
use crate::say;

/// The crate that the short form compiles from its package: the others need
/// packages of ours, which are compiled with `--full`.
const VERIFIED: &str = "aside-text";

/// Who tries the command waits for these to be compiled.
const MAX_FIRST_COMMAND_CRATES: usize = 70;

/// Packs every crate that is published, and prints sizes and numbers of
/// dependencies.
///
/// Uncommitted changes are packed as well: the check is for the sources at
/// hand.
///
/// # Errors
/// A file that a crate needs is missing in its package, which shows as a failed
/// build.
pub(super) fn pack(root: &Path, metadata: &Metadata, extent: Extent) -> Result<()> {
    let mut all = vec!["package", "--quiet", "--allow-dirty"];
    for package in metadata.published() {
        all.extend(["--package", &package.name]);
    }
    match extent {
        Extent::Short | Extent::Artefacts => {
            cargo(root, &[&all[..], &["--no-verify"]].concat())?;
            let one = ["package", "--quiet", "--allow-dirty", "--package", VERIFIED];
            cargo(root, &one)?;
        }
        Extent::Full => {
            cargo(root, &all)?;
        }
    }
    say("package                      bytes  dependencies");
    for package in metadata.published() {
        let (name, version) = (&package.name, &package.version);
        let file = metadata.target_directory().join("package");
        let file = file.join(format!("{name}-{version}.crate"));
        let bytes = fs::metadata(&file)
            .with_context(|| format!("failed to find {}", file.display()))?
            .len();
        say(&format!("{name:<24} {bytes:>9}  {:>12}", package.needed.len()));
    }
    let first = tree::dependencies(root, "aside", &["--no-default-features"])?;
    let count = first.iter().filter(|it| !it.starts_with("aside-")).count();
    say(&format!("the first command of README.md: {count} dependencies"));
    ensure!(count <= MAX_FIRST_COMMAND_CRATES, "more than {MAX_FIRST_COMMAND_CRATES}");
    Ok(())
}
