//! What several files state about a release, such as its version, and what nobody has decided yet.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::package::Metadata;

/// The host of addresses that stand for those of a public home.
const PLACEHOLDER: &str = "https://aside.example";

/// Files that repeat keys of the workspace's manifest.
const STATED: [&str; 2] = ["bindings/Cargo.toml", "bindings/node/package.json"];
const KEYS: [&str; 4] = ["version", "license", "homepage", "repository"];

/// Returns the files that state another version, license or address, and a changelog without a
/// section.
pub(super) fn faults(root: &Path, metadata: &Metadata, version: &str) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for package in metadata.published() {
        if package.version != version {
            faults.push(format!("{}: version {}", package.name, package.version));
        }
    }
    let manifest = read(root, "Cargo.toml")?;
    for file in STATED {
        let text = read(root, file)?;
        for key in KEYS {
            let (found, expected) = (stated(&text, key), stated(&manifest, key));
            if found != expected {
                faults.push(format!("{file}: {key} {found:?}, expected {expected:?}"));
            }
        }
    }
    if section(&read(root, "CHANGELOG.md")?, version).is_none() {
        faults.push(format!("CHANGELOG.md: no section {version}"));
    }
    Ok(faults)
}

/// Returns what a maintainer has to write before the day.
pub(super) fn undecided(root: &Path, version: &str) -> Result<Vec<String>> {
    let mut steps = Vec::new();
    let changelog = read(root, "CHANGELOG.md")?;
    if section(&changelog, version).is_some_and(|heading| !has_date(heading)) {
        steps.push(format!(
            "CHANGELOG.md: the date of {version}, as in \"## {version} (2026-12-01)\""
        ));
    }
    if section(&changelog, "Unreleased").is_some() {
        steps.push("CHANGELOG.md: a version for \"Unreleased\"".to_owned());
    }
    if read(root, "Cargo.toml")?.contains(PLACEHOLDER) {
        steps.push(format!("Cargo.toml: addresses in place of {PLACEHOLDER}"));
    }
    Ok(steps)
}

fn read(root: &Path, file: &str) -> Result<String> {
    fs::read_to_string(root.join(file)).with_context(|| format!("failed to read {file}"))
}

/// Returns the text of a key in the first table of a manifest, in TOML or JSON, that has it.
fn stated<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let value = |before: String| text.split_once(&before)?.1.split('"').next();
    value(format!("\n{key} = \"")).or_else(|| value(format!("\n  \"{key}\": \"")))
}

/// Returns the heading of a section of the changelog, after its name.
fn section<'a>(changelog: &'a str, name: &str) -> Option<&'a str> {
    let mut headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    headings.find_map(|heading| {
        let rest = heading.strip_prefix(name)?;
        (rest.is_empty() || rest.starts_with(' ')).then_some(rest)
    })
}

fn has_date(heading: &str) -> bool {
    let digits = heading.bytes().filter(u8::is_ascii_digit).count();
    digits == 8 && heading.matches('-').count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_a_version_and_a_date() {
        let changelog = "# Changelog\n\n## Unreleased\n\n## 0.10.0 (2026-12-01)\n\n## 0.1.0\n";
        let dated = |version| section(changelog, version).map(has_date);
        assert_eq!(dated("0.10.0"), Some(true));
        assert_eq!(dated("0.1.0"), Some(false));
        assert_eq!(dated("0.1"), None);
    }

    #[test]
    fn the_version_of_a_file_is_found() {
        let toml = "[a]\nversion = \"1.2.3\"\n";
        assert_eq!(stated(toml, "version"), Some("1.2.3"));
        let json = "{\n  \"version\": \"1.2.3\",\n";
        assert_eq!(stated(json, "version"), Some("1.2.3"));
        assert_eq!(stated("{}", "version"), None);
    }
}
