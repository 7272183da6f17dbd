//! The version of a release, which several files state, and what nobody has decided yet.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::package::Metadata;

/// The host of addresses that stand for those of a public home.
const PLACEHOLDER: &str = "https://aside.example";

/// Files with a version of their own: the path, and the text before it.
const STATED: [(&str, &str); 2] = [
    ("bindings/Cargo.toml", "\nversion = \""),
    ("bindings/node/package.json", "\n  \"version\": \""),
];

/// Returns the files whose version is another one, and a changelog without a section.
pub(super) fn faults(root: &Path, metadata: &Metadata, version: &str) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for package in metadata.published() {
        if package.version != version {
            faults.push(format!("{}: version {}", package.name, package.version));
        }
    }
    for (file, before) in STATED {
        let text = read(root, file)?;
        let found = stated(&text, before).unwrap_or_default();
        if found != version {
            faults.push(format!("{file}: version {found:?}, expected {version}"));
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

fn stated<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split('"').next()
}

/// Returns the heading of a section of the changelog, after its name.
fn section<'a>(changelog: &'a str, name: &str) -> Option<&'a str> {
    let mut headings = changelog
        .lines()
        .filter_map(|line| line.strip_prefix("## "));
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
        assert_eq!(
            stated("[a]\nversion = \"1.2.3\"\n", STATED[0].1),
            Some("1.2.3")
        );
        assert_eq!(stated("{}", STATED[1].1), None);
    }
}
