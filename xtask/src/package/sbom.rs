//! The bill of materials: every crate that is compiled into the command, in
//! CycloneDX 1.6.
//!
//! It has no time and no serial number, so that a rebuilt package has the same
//! bytes. Crates are those that cargo resolves for this platform; licences come
//! from their manifests, hashes from `Cargo.lock`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use super::archive::Entry;
use super::manifests::Metadata;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bom<'a> {
    bom_format: &'static str,
    spec_version: &'static str,
    version: u8,
    metadata: About<'a>,
    components: Vec<Component<'a>>,
}

#[derive(Serialize)]
struct About<'a> {
    component: Component<'a>,
}

#[derive(Serialize)]
struct Component<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    version: &'a str,
    purl: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<Hash<'a>>,
    licenses: Vec<License<'a>>,
}

#[derive(Serialize)]
struct Hash<'a> {
    alg: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct License<'a> {
    /// An SPDX expression.
    expression: &'a str,
}

/// Returns the bill of materials as a file below a prefix such as `/usr/local`.
///
/// # Errors
/// If cargo fails, or a crate states no licence.
pub(crate) fn entry(root: &Path, metadata: &Metadata) -> Result<Entry> {
    let lock = fs::read_to_string(root.join("Cargo.lock")).context("Cargo.lock")?;
    let hashes = checksums(&lock);
    let command = metadata.command()?;
    let component = |kind, name, version| -> Result<Component<'_>> {
        let license = metadata.license(name, version);
        let hash = hashes.get(&(name, version)).map(|content| Hash { alg: "SHA-256", content });
        Ok(Component {
            kind,
            name,
            version,
            purl: format!("pkg:cargo/{name}@{version}"),
            hashes: hash.into_iter().collect(),
            licenses: vec![License {
                expression: license.with_context(|| format!("{name} states no licence"))?,
            }],
        })
    };
    let components = command.needed.iter().map(|dependency| {
        let (name, version) = dependency.split_once(" v").context("a version")?;
        component("library", name, version)
    });
    let bom = Bom {
        bom_format: "CycloneDX",
        spec_version: "1.6",
        version: 1,
        components: components.collect::<Result<_>>()?,
        metadata: About { component: component("application", &command.name, &command.version)? },
    };
    let json = serde_json::to_string_pretty(&bom)? + "\n";
    Ok(Entry::new("share/doc/aside/sbom.cdx.json", json))
}

/// Returns the checksum of each crate of a lock file, by name and version.
fn checksums(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let packages = lock.split("[[package]]\n").skip(1).filter_map(|package| {
        let value = |key: &str| {
            let lines = package.lines();
            let mut values = lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
            values.next().map(|quoted| quoted.trim_end_matches('"'))
        };
        Some(((value("name")?, value("version")?), value("checksum")?))
    });
    packages.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_has_the_checksum_of_its_version() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\n\
                    [[package]]\nname = \"b\"\nversion = \"1.0.0\"\nchecksum = \"01\"\n\n\
                    [[package]]\nname = \"b\"\nversion = \"2.0.0\"\nchecksum = \"02\"\n";
        let expected = [(("b", "1.0.0"), "01"), (("b", "2.0.0"), "02")];
        assert_eq!(checksums(lock), BTreeMap::from(expected));
    }
}
