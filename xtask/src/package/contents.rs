//! The files that every artefact contains.
//!
//! The archive, the wheel and the npm packages have the same program and
//! licenses; the archive and the wheel also have the manual and the
//! completions, which the program writes itself, and a bill of materials.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::archive::{self, Entry, Level};
use super::manifests::Metadata;
use super::{cargo, output, sbom, targets};

/// The compiled form of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Profile {
    /// The one that the tests use.
    Dev,
    /// `--release`, with `--locked` dependencies.
    Release,
}

/// The command with its documentation.
pub(super) struct Contents {
    /// The version of the manifest, without `v`.
    pub(super) version: String,
    pub(super) description: String,
    pub(super) repository: String,
    pub(super) homepage: String,
    pub(super) license: String,
    pub(super) keywords: Vec<String>,
    /// The triple of the platform.
    pub(super) target: String,
    /// The README of the crate `cli`.
    pub(super) readme: String,
    /// The program, without symbols if this machine has `strip`.
    pub(super) program: Vec<u8>,
    /// `LICENSE-APACHE` and `LICENSE-MIT`.
    pub(super) licenses: Vec<Entry>,
    /// Manual pages, by file name.
    pub(super) manual: Vec<Entry>,
    /// Completion scripts, in the folders in which shells look for them.
    pub(super) completions: Vec<Entry>,
    /// The bill of materials.
    pub(super) sbom: Entry,
}

/// Shells, and the paths of their scripts below a prefix such as `/usr/local`.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/aside"),
    ("zsh", "share/zsh/site-functions/_aside"),
    ("fish", "share/fish/vendor_completions.d/aside.fish"),
];

impl Contents {
    /// Compiles the program, and lets it write its manual and its completions.
    ///
    /// # Errors
    /// If it does not compile, a file is missing, or the platform has no known
    /// name.
    pub(super) fn build(root: &Path, metadata: &Metadata, profile: Profile) -> Result<Self> {
        let program = match profile {
            Profile::Dev => crate::built::aside(root)?,
            Profile::Release => {
                let arguments = [
                    "build",
                    "--release",
                    "--quiet",
                    "--locked",
                    "--package",
                    "aside",
                ];
                cargo(root, &arguments)?;
                let name = format!("aside{}", std::env::consts::EXE_SUFFIX);
                metadata.target_directory().join("release").join(name)
            }
        };
        let directory = tempfile::tempdir()?;
        let command = metadata.command()?;
        let sources = root.join("crates/cli");
        let read = |path: PathBuf| {
            fs::read(&path).with_context(|| format!("failed to read {}", path.display()))
        };
        let mut licenses = Vec::new();
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            licenses.push(Entry::new(name, read(sources.join(name))?));
        }
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        Ok(Self {
            version: command.version.clone(),
            description: text(&command.description),
            repository: text(&command.repository),
            homepage: text(&command.homepage),
            license: text(&command.license),
            keywords: command.keywords.clone(),
            target: targets::triple(&output(Command::new("rustc").arg("-vV"))?)?,
            readme: String::from_utf8(read(sources.join("README.md"))?)?,
            manual: manual(&program, &directory.path().join("man"))?,
            completions: completions(&program)?,
            program: read(stripped(&program, directory.path()))?,
            licenses,
            sbom: sbom::entry(root, metadata)?,
        })
    }

    /// Returns the name of the program in packages.
    pub(super) fn program_name(&self) -> String {
        let suffix = if self.target.contains("windows") {
            ".exe"
        } else {
            ""
        };
        format!("aside{suffix}")
    }

    /// Returns the archive of a release, and its name.
    ///
    /// A ZIP for Windows, a gzipped tar elsewhere, with everything in one
    /// folder.
    pub(super) fn archive(&self, level: Level) -> Result<(String, Vec<u8>)> {
        let folder = self.archive_folder();
        let mut entries = vec![
            Entry::program(self.program_name(), self.program.clone()),
            Entry::new("README.md", self.readme.clone()),
        ];
        entries.extend_from_slice(&self.licenses);
        entries.extend(self.shared());
        for entry in &mut entries {
            entry.path = format!("{folder}/{}", entry.path);
        }
        Ok(if self.target.contains("windows") {
            (format!("{folder}.zip"), archive::zip(&entries, level)?)
        } else {
            (
                format!("{folder}.tar.gz"),
                archive::tar_gz(&entries, level)?,
            )
        })
    }

    /// Returns the folder in the archive, which is the archive's name too.
    pub(super) fn archive_folder(&self) -> String {
        format!("aside-{}-{}", self.version, self.target)
    }

    /// Returns the files below `share` of a prefix.
    pub(super) fn shared(&self) -> Vec<Entry> {
        let manual = self.manual.iter().map(|page| {
            let path = format!("share/man/man1/{}", page.path);
            Entry::new(path, page.bytes.clone())
        });
        let others = self.completions.iter().chain([&self.sbom]);
        manual.chain(others.cloned()).collect()
    }
}

/// Lets the program write its manual pages; sorted by name.
fn manual(program: &Path, directory: &Path) -> Result<Vec<Entry>> {
    output(Command::new(program).args(["man", "--all"]).arg(directory))?;
    let mut pages = Vec::new();
    for file in fs::read_dir(directory)? {
        let file = file?;
        let name = file.file_name().to_string_lossy().into_owned();
        pages.push(Entry::new(name, fs::read(file.path())?));
    }
    pages.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(pages)
}

/// Lets the program print the completion script of each shell of `SHELLS`.
fn completions(program: &Path) -> Result<Vec<Entry>> {
    let scripts = SHELLS.into_iter().map(|(shell, path)| {
        let script = output(Command::new(program).args(["completions", shell]))?;
        Ok(Entry::new(path, script))
    });
    scripts.collect()
}

/// Returns a copy of the program without symbols, if this machine has `strip`.
fn stripped(program: &Path, directory: &Path) -> PathBuf {
    let copy = directory.join("aside");
    let mut strip = Command::new("strip");
    strip.arg("-o").arg(&copy).arg(program);
    match output(&mut strip) {
        Ok(_) => copy,
        Err(_) => program.to_owned(),
    }
}
