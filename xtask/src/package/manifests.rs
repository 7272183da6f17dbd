//! The manifests, as registries show them and installers read them.
//!
//! The check covers the published crates. A missing text is a fault because it
//! cannot be added to a version later.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::tree::{self, Dependency};
use super::{binstall, cargo};
use crate::examples;

#[derive(Deserialize)]
pub(crate) struct Metadata {
    /// The workspace's packages and all their dependencies.
    packages: Vec<Package>,
    /// By id.
    workspace_members: Vec<String>,
    /// Where cargo builds here, with `CARGO_TARGET_DIR`.
    target_directory: PathBuf,
}

/// A package, as `cargo metadata` prints it. An absent text is a key that the
/// manifest does not have.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Package {
    /// Unique among all versions and sources.
    id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    /// The absolute path of its `Cargo.toml`.
    manifest_path: PathBuf,
    pub(super) description: Option<String>,
    pub(super) repository: Option<String>,
    pub(super) homepage: Option<String>,
    documentation: Option<String>,
    pub(crate) license: Option<String>,
    readme: Option<String>,
    /// The oldest compiler that the package claims: `1.95`.
    rust_version: Option<String>,
    pub(super) keywords: Vec<String>,
    categories: Vec<String>,
    /// The manifest's table `package.metadata`, `null` without one.
    metadata: serde_json::Value,
    /// An empty list: never published.
    publish: Option<Vec<String>>,
    dependencies: Vec<Edge>,
    /// What a published package is compiled of, as `cargo tree` lists it.
    #[serde(skip)]
    pub(super) needed: BTreeSet<Dependency>,
}

/// A dependency in a manifest.
#[derive(Debug, Deserialize)]
struct Edge {
    name: String,
    /// `dev` or `build`; a normal one has none.
    kind: Option<String>,
}

impl Metadata {
    /// Runs `cargo metadata`, dependencies included.
    ///
    /// # Errors
    /// cargo fails, for example because the network is needed and missing.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let json = cargo(root, &["metadata", "--format-version", "1"])?;
        let metadata = serde_json::from_str(&json);
        let mut metadata: Self = metadata.context("failed to read the metadata of cargo")?;
        let members = &metadata.workspace_members;
        let is_published = |it: &&mut Package| members.contains(&it.id) && it.publish.is_none();
        for package in metadata.packages.iter_mut().filter(is_published) {
            package.needed = tree::dependencies(root, &package.name, &[])?;
        }
        Ok(metadata)
    }

    pub(crate) fn target_directory(&self) -> PathBuf {
        self.target_directory.clone()
    }

    /// Returns the workspace's crates that are published.
    pub(crate) fn published(&self) -> impl Iterator<Item = &Package> {
        self.own().filter(|it| it.publish.is_none())
    }

    /// Returns the published crates, each after those of them that it depends on.
    pub(crate) fn in_order_of_publishing(&self) -> Vec<&Package> {
        let mut rest: Vec<&Package> = self.published().collect();
        let mut ordered: Vec<&Package> = Vec::new();
        while !rest.is_empty() {
            let waits = |package: &&Package| {
                let needed = package.dependencies.iter();
                let mut needed = needed.filter(|edge| edge.kind.as_deref() != Some("dev"));
                needed.any(|edge| rest.iter().any(|other| other.name == edge.name))
            };
            let (later, next): (Vec<_>, Vec<_>) = rest.iter().copied().partition(waits);
            // Cargo refuses a circle, so each round has some.
            if next.is_empty() {
                return [ordered, later].concat();
            }
            ordered.extend(next);
            rest = later;
        }
        ordered
    }

    /// Returns the license of a crate that the workspace is compiled of.
    pub(crate) fn license(&self, name: &str, version: &str) -> Option<&str> {
        let mut found = self.packages.iter();
        let found = found.find(|package| package.name == name && package.version == version)?;
        found.license.as_deref()
    }

    fn own(&self) -> impl Iterator<Item = &Package> {
        let packages = self.packages.iter();
        packages.filter(|it| self.workspace_members.contains(&it.id))
    }

    /// Returns the newest `rust-version` among the published crates.
    pub(super) fn rust_version(&self) -> Option<&str> {
        let versions = self.published().filter_map(|it| it.rust_version.as_deref());
        versions.max_by_key(|version| numbers(version))
    }

    /// Returns the command's crate.
    pub(crate) fn command(&self) -> Result<&Package> {
        let mut own = self.own();
        own.find(|it| it.name == "aside").context("no package aside")
    }

    /// Returns the faults in all published crates, each with the crate's name.
    pub(super) fn faults(&self) -> Result<Vec<String>> {
        let mut faults = Vec::new();
        for package in self.published() {
            faults.extend(package.faults());
            faults.extend(self.rust_version_fault(package));
        }
        let command = self.command()?;
        faults.extend(binstall::fault(&command.name, &command.metadata));
        Ok(faults)
    }

    /// Returns a fault if the package claims an older compiler than one of its
    /// dependencies needs.
    fn rust_version_fault(&self, package: &Package) -> Option<String> {
        let newest = self.packages.iter().filter_map(|it| {
            let named = format!("{} v{}", it.name, it.version);
            let version = it.rust_version.as_deref()?;
            package.needed.contains(&named).then(|| (numbers(version), named))
        });
        let (version, name) = newest.max()?;
        let claimed = package.rust_version.as_deref().map(numbers);
        (claimed.unwrap_or_default() < version).then(|| {
            let [major, minor, patch] = version;
            format!("{}: {name} needs rust-version {major}.{minor}.{patch}", package.name)
        })
    }
}

/// Returns a version's numbers; missing ones are 0.
fn numbers(version: &str) -> [u32; 3] {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| parts.next().unwrap_or(0))
}

impl Package {
    pub(super) fn directory(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new(""))
    }

    /// Returns one package's faults: absent texts and lists, more keywords than
    /// crates.io takes, no docs.rs configuration, no license file, relative
    /// links, no example.
    fn faults(&self) -> Vec<String> {
        let texts = [
            ("description", &self.description),
            ("repository", &self.repository),
            ("homepage", &self.homepage),
            ("documentation", &self.documentation),
            ("license", &self.license),
            ("readme", &self.readme),
            ("rust-version", &self.rust_version),
        ];
        let empty =
            texts.into_iter().filter(|(_, text)| text.as_ref().is_none_or(String::is_empty));
        let mut faults: Vec<_> = empty.map(|(key, _)| format!("no {key}")).collect();
        for (key, list) in [("keywords", &self.keywords), ("categories", &self.categories)] {
            if list.is_empty() {
                faults.push(format!("no {key}"));
            }
        }
        if self.keywords.len() > 5 {
            faults.push("more than 5 keywords".to_owned());
        }
        if self.metadata["docs"]["rs"].is_null() {
            faults.push("no [package.metadata.docs.rs]".to_owned());
        }
        for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
            if !self.directory().join(file).is_file() {
                faults.push(format!("no {file} in the package"));
            }
        }
        let readme = fs::read_to_string(self.directory().join("README.md")).unwrap_or_default();
        faults.extend(relative_links(&readme));
        if !examples::has_example(&readme) {
            faults.push("README.md begins with no dependencies and program".to_owned());
        }
        faults.iter().map(|it| format!("{}: {it}", self.name)).collect()
    }
}

/// Returns a fault for each link that leads nowhere on a registry.
fn relative_links(readme: &str) -> Vec<String> {
    let ends = readme.split("](").skip(1);
    let links = ends.filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
    let is_file =
        |link: &&str| link.starts_with("../") || link.ends_with(".md") && !link.contains(':');
    links
        .filter(is_file)
        .map(|link| format!("the link {link} in README.md leads nowhere on a registry"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_published_after_those_that_it_needs() {
        let package = |name: &str, needed: &[&str]| Package {
            id: name.to_owned(),
            name: name.to_owned(),
            dependencies: needed
                .iter()
                .map(|name| Edge { name: (*name).to_owned(), kind: None })
                .collect(),
            ..Package::default()
        };
        let metadata = Metadata {
            packages: vec![package("a", &["b", "serde"]), package("b", &["c"]), package("c", &[])],
            workspace_members: ["a", "b", "c"].map(str::to_owned).into(),
            target_directory: PathBuf::new(),
        };
        let ordered = metadata.in_order_of_publishing();
        let names: Vec<&str> = ordered.iter().map(|package| &*package.name).collect();
        assert_eq!(names, ["c", "b", "a"]);
    }

    #[test]
    fn every_missing_key_is_named() {
        let package = Package {
            name: "p".to_owned(),
            manifest_path: "/nowhere/Cargo.toml".into(),
            description: Some("d".to_owned()),
            homepage: Some(String::new()),
            documentation: Some("d".to_owned()),
            license: Some("MIT".to_owned()),
            readme: Some("README.md".to_owned()),
            keywords: ["a"; 6].map(str::to_owned).into(),
            ..Package::default()
        };
        let expected = [
            "p: no repository",
            "p: no homepage",
            "p: no rust-version",
            "p: no categories",
            "p: more than 5 keywords",
            "p: no [package.metadata.docs.rs]",
            "p: no LICENSE-MIT in the package",
            "p: no LICENSE-APACHE in the package",
            "p: README.md begins with no dependencies and program",
        ];
        assert_eq!(package.faults(), expected);
    }

    #[test]
    fn links_that_only_a_checkout_has_are_found() {
        let readme = "[a](../../docs/a.md) [b](https://b.example/b.md) [c](c.md) [`D`](crate::D)";
        let faults = relative_links(readme);
        let links: Vec<_> = faults.iter().filter_map(|it| it.split(' ').nth(2)).collect();
        assert_eq!(links, ["../../docs/a.md", "c.md"]);
    }

    #[test]
    fn versions_are_compared_by_numbers() {
        assert!(numbers("1.94.1") > numbers("1.94"));
        assert!(numbers("1.100") > numbers("1.95"));
    }
}
