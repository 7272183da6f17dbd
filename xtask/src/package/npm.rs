//! The packages of npm: one with the program for each platform, and one that
//! starts it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use super::archive::{self, Entry, Level};
use super::contents::Contents;
use super::targets;

/// The name on the registry, and the scope of the packages with programs.
const NAME: &str = "aside-cli";
const LAUNCHER: &str = include_str!("npm/aside.js");

/// The files of the packages.
pub(super) struct Packages {
    pub(super) platform: PathBuf,
    pub(super) main: PathBuf,
}

/// A `package.json`.
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
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    bin: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engines: Option<BTreeMap<&'a str, &'a str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    os: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cpu: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    libc: Vec<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    optional_dependencies: BTreeMap<String, &'a str>,
}

#[derive(Serialize)]
struct Repository<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    url: &'a str,
}

/// Returns the package of this platform and the main package: file names and
/// bytes.
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

fn manifest(contents: &Contents, name: String) -> Manifest<'_> {
    Manifest {
        name,
        version: &contents.version,
        description: &contents.description,
        license: &contents.license,
        homepage: &contents.homepage,
        repository: Repository {
            kind: "git",
            url: &contents.repository,
        },
        keywords: &contents.keywords,
        bin: BTreeMap::new(),
        engines: None,
        os: Vec::new(),
        cpu: Vec::new(),
        libc: Vec::new(),
        optional_dependencies: BTreeMap::new(),
    }
}

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
    for entry in &mut entries {
        entry.path = format!("package/{}", entry.path);
    }
    archive::tar_gz(&entries, level)
}
