//! Packages in the form in which a registry would receive them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::say;

/// How many packages are verified by compiling them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verify {
    /// None: the steps that run on every change.
    None,
    /// All.
    All,
}

/// The metadata of a package in its manifest.
#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    version: String,
    manifest_path: String,
    description: Option<String>,
    repository: Option<String>,
    homepage: Option<String>,
    documentation: Option<String>,
    license: Option<String>,
    readme: Option<String>,
    rust_version: Option<String>,
    keywords: Vec<String>,
    categories: Vec<String>,
    /// An empty list: never published.
    publish: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    target_directory: String,
}

/// Checks the manifests, packs every crate, and prints sizes and numbers of dependencies.
pub(crate) fn run(root: &Path, verify: Verify) -> Result<bool> {
    let start = Instant::now();
    let metadata = metadata(root)?;
    let published: Vec<_> = metadata
        .packages
        .iter()
        .filter(|it| it.publish.is_none())
        .collect();
    let faults: Vec<_> = published.iter().flat_map(|it| faults(it)).collect();
    for fault in &faults {
        say(&format!("package: {fault}"));
    }
    if !faults.is_empty() {
        return Ok(false);
    }
    let mut arguments = vec!["package", "--workspace", "--exclude", "xtask", "--quiet"];
    arguments.push("--allow-dirty");
    if verify == Verify::None {
        arguments.push("--no-verify");
    }
    cargo(root, &arguments)?;
    say("package                      bytes  dependencies");
    for package in published {
        let (name, version) = (&package.name, &package.version);
        let file = Path::new(&metadata.target_directory)
            .join("package")
            .join(format!("{name}-{version}.crate"));
        let bytes = std::fs::metadata(&file)
            .with_context(|| format!("failed to find {}", file.display()))?
            .len();
        say(&format!(
            "{name:<24} {bytes:>9}  {:>12}",
            dependencies(root, name, &[])?
        ));
    }
    let without = dependencies(root, "aside", &["--no-default-features"])?;
    say(&format!("aside without network: {without} dependencies"));
    say(&format!("package: {} s", start.elapsed().as_secs()));
    Ok(true)
}

fn faults(package: &Package) -> Vec<String> {
    let texts = [
        ("description", &package.description),
        ("repository", &package.repository),
        ("homepage", &package.homepage),
        ("documentation", &package.documentation),
        ("license", &package.license),
        ("readme", &package.readme),
        ("rust-version", &package.rust_version),
    ];
    let name = &package.name;
    let empty = texts
        .into_iter()
        .filter(|(_, text)| text.as_ref().is_none_or(String::is_empty));
    let mut faults: Vec<_> = empty.map(|(key, _)| format!("{name}: no {key}")).collect();
    for (key, list) in [
        ("keywords", &package.keywords),
        ("categories", &package.categories),
    ] {
        if list.is_empty() {
            faults.push(format!("{name}: no {key}"));
        }
    }
    if package.keywords.len() > 5 {
        faults.push(format!("{name}: more than 5 keywords"));
    }
    let dir = Path::new(&package.manifest_path)
        .parent()
        .unwrap_or(Path::new(""));
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        if !dir.join(file).is_file() {
            faults.push(format!("{name}: no {file} in the package"));
        }
    }
    faults
}

/// Returns the number of crates that a package needs to be compiled, itself not counted.
fn dependencies(root: &Path, name: &str, more: &[&str]) -> Result<usize> {
    let mut arguments = vec![
        "tree",
        "--package",
        name,
        "--edges",
        "normal,build",
        "--prefix",
    ];
    arguments.push("none");
    arguments.extend(more);
    let output = cargo(root, &arguments)?;
    let crates = output.lines().filter(|line| !line.is_empty());
    // `name version (path) (*)`
    let crates = crates.map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "));
    Ok(crates.collect::<BTreeSet<_>>().len().saturating_sub(1))
}

fn metadata(root: &Path) -> Result<Metadata> {
    let json = cargo(root, &["metadata", "--format-version", "1", "--no-deps"])?;
    serde_json::from_str(&json).context("failed to read the metadata of cargo")
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<String> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let line = format!("cargo {}", arguments.join(" "));
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .with_context(|| format!("failed to run {line}"))?;
    if !output.status.success() {
        bail!("{line}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_missing_key_is_named() {
        let package = Package {
            name: "p".to_owned(),
            version: "1.0.0".to_owned(),
            manifest_path: "/nowhere/Cargo.toml".to_owned(),
            description: Some("d".to_owned()),
            repository: None,
            homepage: Some(String::new()),
            documentation: Some("d".to_owned()),
            license: Some("MIT".to_owned()),
            readme: Some("README.md".to_owned()),
            rust_version: None,
            keywords: ["a"; 6].map(str::to_owned).into(),
            categories: Vec::new(),
            publish: None,
        };
        let expected = [
            "p: no repository",
            "p: no homepage",
            "p: no rust-version",
            "p: no categories",
            "p: more than 5 keywords",
            "p: no LICENSE-MIT in the package",
            "p: no LICENSE-APACHE in the package",
        ];
        assert_eq!(faults(&package), expected);
    }
}
