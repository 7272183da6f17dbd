//! Packages for registries, for installers and for users of archives.
//!
//! A published package cannot be replaced, so everything that a registry or an
//! installer would refuse has to be found before. The steps are: the manifests,
//! the crates' packages, and, with `--artefacts`, the archive, the wheel and
//! the npm packages for this platform, each installed into a clean place and
//! used there.
//!
//! It finds, for example, a crate without a license file, a README with a link
//! that only a checkout has, a `rust-version` below a dependency's, and a wheel
//! that lacks a manual page.
//!
//! | form | compiles | takes |
//! |---|---|---|
//! | `package` | one crate from its package | the least |
//! | `package --artefacts` | also the command for tests | minutes; part of CI |
//! | `package --full` | every crate, and a release | the longest; before publishing |
//!
//! The wheel needs `python3` with `venv`, the npm packages need `npm`. When one
//! is missing, it is skipped with a message, or fails if `ASIDE_INSTALLS` is
//! set.

mod archive;
mod binstall;
mod contents;
mod crates;
pub(crate) mod footprint;
mod install;
mod manifests;
mod npm;
mod rust_version;
mod sbom;
mod targets;
mod tree;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::{output, report, say};
pub(crate) use archive::checksums;
pub(crate) use manifests::Metadata;
pub(crate) use sbom::entry as bill_of_materials;

use archive::Level;
use contents::{Contents, Profile};

/// cargo arguments that select the published crates.
const CRATES: [&str; 4] =
    ["--workspace", "--exclude=xtask", "--exclude=aside-attacks", "--exclude=aside-guards"];

/// How much to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// One crate is compiled from its package.
    Short,
    /// The same, and the artefacts with the program that the tests use: for
    /// every change.
    Artefacts,
    /// Every crate is compiled from its package, and the artefacts contain a
    /// release's program: for publishing.
    Full,
}

/// Checks the manifests, packs every crate, builds the command's artefacts for
/// this platform, and installs each into a clean place.
///
/// Returns true if there was no fault. When a README states an outdated number
/// of dependencies, that is a note, and a fault with `Extent::Full`.
///
/// # Errors
/// cargo cannot pack a crate or compile it.
pub(crate) fn run(root: &Path, extent: Extent) -> Result<bool> {
    let metadata = Metadata::read(root)?;
    let mut faults = metadata.faults()?;
    let outdated = footprint::outdated(&metadata)?;
    match extent {
        // A README's figure is renewed with a release, not with every change.
        Extent::Short | Extent::Artefacts => {
            outdated.iter().for_each(|note| say(&format!("package: {note}")));
        }
        Extent::Full => {
            faults.extend(outdated);
            faults.extend(rust_version::fault(root, &metadata)?);
        }
    }
    crates::pack(root, &metadata, extent)?;
    let artefacts = match extent {
        Extent::Short => None,
        Extent::Artefacts => Some((Profile::Dev, Level::Stored)),
        Extent::Full => Some((Profile::Release, Level::Best)),
    };
    if let Some((profile, level)) = artefacts {
        let contents = Contents::build(root, &metadata, profile)?;
        let artefacts = Artefacts::write(&metadata.target_directory(), &contents, level)?;
        for path in artefacts.all() {
            let bytes = fs::metadata(path)?.len();
            say(&format!("{:>11} bytes  {}", bytes, path.display()));
        }
        faults.extend(install::faults(&contents, &artefacts)?);
    }
    Ok(report("package", &faults))
}

/// The files to publish, for this platform.
struct Artefacts {
    /// `target/dist`, emptied before each run.
    directory: PathBuf,
    /// `aside-1.2.3-TRIPLE.tar.gz`, or `.zip` for Windows.
    archive: PathBuf,
    /// `aside_cli-1.2.3-py3-none-PLATFORM.whl`.
    wheel: PathBuf,
    /// Two tarballs: this platform's program, and the launcher.
    npm: npm::Packages,
}

impl Artefacts {
    /// Writes all artefacts and their checksums into `dist` in the directory.
    fn write(target: &Path, contents: &Contents, level: Level) -> Result<Self> {
        let directory = target.join("dist");
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::create_dir_all(&directory)?;
        let write = |(name, bytes): (String, Vec<u8>)| -> Result<PathBuf> {
            let path = directory.join(name);
            crate::write(&path, bytes)?;
            Ok(path)
        };
        let [platform, main] = npm::packages(contents, level)?;
        let artefacts = Self {
            archive: write(contents.archive(level)?)?,
            wheel: write(wheel::wheel(contents, level)?)?,
            npm: npm::Packages { platform: write(platform)?, main: write(main)? },
            directory: directory.clone(),
        };
        let sums = checksums(&artefacts.all())?;
        write(("SHA256SUMS".to_owned(), sums.into_bytes()))?;
        Ok(artefacts)
    }

    fn all(&self) -> [&Path; 4] {
        [&self.archive, &self.wheel, &self.npm.platform, &self.npm.main].map(|path| &**path)
    }
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<String> {
    output(crate::cargo().args(arguments).current_dir(root))
}
