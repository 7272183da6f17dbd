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
use super::{cargo, sbom, targets};
use crate::output;

/// How the program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Profile {
    /// As for the tests.
    Dev,
    /// `--release`, with `--locked` dependencies.
    Release,
}

/// The command's name on PyPI and npm, where `aside` is another project.
pub(super) const NAME: &str = "aside-cli";

/// The command with its documentation. Archive, wheel and npm packages take all that they state
/// from here.
pub(super) struct Contents {
    /// As in the manifest, without `v`.
    pub(super) version: String,
    pub(super) description: String,
    pub(super) repository: String,
    pub(super) homepage: String,
    pub(super) license: String,
    pub(super) keywords: Vec<String>,
    /// The platform's triple.
    pub(super) target: String,
    /// From the crate `cli`.
    pub(super) readme: String,
    /// Without symbols if this machine has `strip`.
    pub(super) program: Vec<u8>,
    /// `LICENSE-APACHE` and `LICENSE-MIT`.
    pub(super) licenses: Vec<Entry>,
    /// By file name.
    pub(super) manual: Vec<Entry>,
    /// In the folders in which shells look for them.
    pub(super) completions: Vec<Entry>,
    /// The bill of materials.
    pub(super) sbom: Entry,
}

/// Shells, and where their scripts go below a prefix such as `/usr/local`.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/aside"),
    ("zsh", "share/zsh/site-functions/_aside"),
    ("fish", "share/fish/vendor_completions.d/aside.fish"),
];

impl Contents {
    /// Compiles the program, and lets it write its manual and its completions.
    ///
    /// # Errors
    /// It does not compile, a file is missing, or the platform has no known
    /// name.
    pub(super) fn build(root: &Path, metadata: &Metadata, profile: Profile) -> Result<Self> {
        let program = match profile {
            Profile::Dev => crate::built::aside(root)?,
            Profile::Release => {
                let arguments = ["build", "--release", "--quiet", "--locked", "--package", "aside"];
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

    /// Returns the program's name in packages.
    pub(super) fn program_name(&self) -> String {
        let suffix = if self.target.contains("windows") { ".exe" } else { "" };
        format!("aside{suffix}")
    }

    /// Returns a release's archive, and its name.
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
            (format!("{folder}.tar.gz"), archive::tar_gz(&entries, level)?)
        })
    }

    /// Returns the archive's folder, which is named like the archive.
    pub(super) fn archive_folder(&self) -> String {
        format!("aside-{}-{}", self.version, self.target)
    }

    /// Returns the files below a prefix's `share`.
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

/// Lets the program print a completion script for each shell in `SHELLS`.
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
