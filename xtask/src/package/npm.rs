//! The npm packages: one with the program for each platform, and one that
//! starts it.
//!
//! npm installs the main package and, from its optional dependencies, the one
//! whose `os`, `cpu` and `libc` match the machine. The launcher `bin/aside.js`
//! looks up the program in it:
//!
//! ```text
//! aside-cli                     bin/aside.js, optionalDependencies: all platforms
//! @aside-cli/linux-x64          bin/aside, os: linux, cpu: x64, libc: glibc
//! ```
//!
//! No script runs during installation.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use super::archive::{self, Entry, Level};
use super::contents::{Contents, NAME};
use super::targets;

/// Starts the platform's program.
const LAUNCHER: &str = include_str!("npm/aside.js");

pub(super) struct Packages {
    /// With this platform's program.
    pub(super) platform: PathBuf,
    /// The one that users install.
    pub(super) main: PathBuf,
}

/// A `package.json`.
///
/// Empty lists and maps are left out: an empty `os` would be no restriction,
/// and an empty `bin` no command.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Manifest<'a> {
    name: String,
    version: &'a str,
    description: &'a str,
    license: &'a str,
    homepage: &'a str,
    repository: Repository<'a>,
    keywords: &'a [String],
    /// Commands, in the main package only.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    bin: BTreeMap<&'a str, &'a str>,
    /// The oldest Node that the launcher works with.
    #[serde(skip_serializing_if = "Option::is_none")]
    engines: Option<BTreeMap<&'a str, &'a str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    os: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cpu: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    libc: Vec<&'a str>,
    /// Packages for all platforms, in exactly this version.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    optional_dependencies: BTreeMap<String, &'a str>,
}

#[derive(Serialize)]
struct Repository<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    url: &'a str,
}

/// Returns this platform's package and the main package: file names and bytes.
///
/// # Errors
/// The platform has no npm package.
pub(super) fn packages(contents: &Contents, level: Level) -> Result<[(String, Vec<u8>); 2]> {
    let platform = targets::node(&contents.target)?;
    let version = &contents.version;
    let program = format!("bin/{}", contents.program_name());
    let with_program = packed(
        &platform_manifest(contents, &platform),
        Entry::program(program, contents.program.clone()),
        contents,
        level,
    )?;
    let launcher = Entry::program("bin/aside.js", LAUNCHER);
    let main = packed(&main_manifest(contents), launcher, contents, level)?;
    Ok([
        (format!("{NAME}-{platform}-{version}.tgz"), with_program),
        (format!("{NAME}-{version}.tgz"), main),
    ])
}

/// Returns the manifest for the package with the launcher.
fn main_manifest(contents: &Contents) -> Manifest<'_> {
    let version = contents.version.as_str();
    let platforms = targets::NODE.iter();
    Manifest {
        bin: [("aside", "bin/aside.js")].into(),
        engines: Some([("node", ">=18")].into()),
        optional_dependencies: platforms.map(|it| (scoped(it), version)).collect(),
        ..manifest(contents, NAME.to_owned())
    }
}

/// Returns the manifest for the package with the program. A program for glibc
/// is not offered to systems with another C library.
fn platform_manifest<'a>(contents: &'a Contents, platform: &'a str) -> Manifest<'a> {
    let (os, cpu) = platform.split_once('-').unwrap_or((platform, ""));
    let is_glibc = contents.target.ends_with("linux-gnu");
    Manifest {
        os: vec![os],
        cpu: vec![cpu],
        libc: if is_glibc { vec!["glibc"] } else { Vec::new() },
        ..manifest(contents, scoped(platform))
    }
}

/// Returns the keys that both have.
fn manifest(contents: &Contents, name: String) -> Manifest<'_> {
    Manifest {
        name,
        version: &contents.version,
        description: &contents.description,
        license: &contents.license,
        homepage: &contents.homepage,
        repository: Repository { kind: "git", url: &contents.repository },
        keywords: &contents.keywords,
        bin: BTreeMap::new(),
        engines: None,
        os: Vec::new(),
        cpu: Vec::new(),
        libc: Vec::new(),
        optional_dependencies: BTreeMap::new(),
    }
}

/// Returns the name of a platform's package: `@aside-cli/linux-x64`.
fn scoped(platform: &str) -> String {
    format!("@{NAME}/{platform}")
}

/// Returns the tarball, as npm packs it: everything in a folder `package`.
fn packed(
    manifest: &Manifest<'_>,
    program: Entry,
    contents: &Contents,
    level: Level,
) -> Result<Vec<u8>> {
    let json = serde_json::to_string_pretty(manifest)? + "\n";
    let mut entries = vec![
        Entry::new("package.json", json),
        program,
        Entry::new("README.md", contents.readme.clone()),
    ];
    entries.extend_from_slice(&contents.licenses);
    entries.push(contents.sbom.clone());
    for entry in &mut entries {
        entry.path = format!("package/{}", entry.path);
    }
    archive::tar_gz(&entries, level)
}
