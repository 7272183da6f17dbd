//! Checks for files that every crate and the workspace must have.
//!
//! Users do not find a crate that the page `crates/README.md` does not list,
//! and an example outside the documentation is not compiled.

use std::path::Path;

use anyhow::Result;

use super::Package;
use crate::read;

/// Tells users which crate to pick.
const PAGE: &str = "crates/README.md";

/// Returns the faults in all packages except the workspace's tools.
///
/// # Errors
/// A file that has to exist cannot be read.
pub(super) fn check(root: &Path, packages: &[Package]) -> Result<Vec<String>> {
    let mut faults = toolchain(&read(&root.join("rust-toolchain.toml"))?);
    let readme = read(&root.join(PAGE))?;
    let architecture = read(&root.join("ARCHITECTURE.md"))?;
    for package in packages.iter().filter(|package| !package.is_tool()) {
        let name = package.crate_name();
        for (file, text) in [(PAGE, &readme), ("ARCHITECTURE.md", &architecture)] {
            if !text.contains(&format!("`{name}`")) {
                faults.push(format!("files: {file} does not name the crate `{name}`"));
            }
        }
        faults.extend(manual(package)?);
    }
    Ok(faults)
}

/// Checks that a crate's README is its documentation, with an example that
/// compiles.
///
/// A package without a library, such as the command, only needs a README.
fn manual(package: &Package) -> Result<Vec<String>> {
    let directory = package.directory();
    let readme = read(&directory.join("README.md"))?;
    let library = directory.join("src/lib.rs");
    if !library.is_file() {
        return Ok(Vec::new());
    }
    let mut faults = Vec::new();
    if !readme.contains("```rust") {
        faults.push(format!("files: the README of {} has no example", package.name));
    }
    if !read(&library)?.starts_with("#![doc = include_str!(\"../README.md\")]") {
        faults.push(format!("files: lib.rs of {} does not begin with its README", package.name));
    }
    Ok(faults)
}

/// Returns a fault if the toolchain is not an exact version such as `1.95.0`,
/// since another compiler has other lints, or if it lacks a component that CI
/// uses.
fn toolchain(text: &str) -> Vec<String> {
    let channel = text.lines().find_map(|line| line.strip_prefix("channel = "));
    let version = channel.unwrap_or_default().trim_matches('"');
    let is_exact = version.split('.').count() == 3
        && version.split('.').all(|part| part.parse::<u16>().is_ok());
    let mut faults = Vec::new();
    if !is_exact {
        faults.push(format!("files: rust-toolchain.toml pins no exact version, found {version:?}"));
    }
    for component in ["rustfmt", "clippy"] {
        if !text.contains(&format!("\"{component}\"")) {
            faults.push(format!("files: rust-toolchain.toml does not name {component}"));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_exact_toolchain_passes() {
        let text =
            |channel| format!("channel = \"{channel}\"\ncomponents = [\"rustfmt\", \"clippy\"]");
        assert_eq!(toolchain(&text("1.95.0")), Vec::<String>::new());
        for channel in ["stable", "1.95", "nightly-2026-01-01"] {
            assert_eq!(toolchain(&text(channel)).len(), 1, "{channel}");
        }
    }
}
