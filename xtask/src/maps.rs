//! Compares the model catalogue's generated figures with two public price maps.
//!
//! LiteLLM and genai-prices are Python packages that map models to prices and
//! limits. `xtask/models/maps.py` compares them and prints
//! `crates/models/src/figures.txt`. `models --update` installs the newest
//! release of both and writes that file; `models` installs the releases that
//! the file names and compares.
//!
//! The packages are installed below `target/models`, without their scripts.
//! Their versions have no hashes here: a map's release is used once, and its
//! effect is a text diff that a person reads.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::output;
use crate::{built, installers, say};

const FIGURES: &str = "crates/models/src/figures.txt";

/// What to do with the file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figures {
    /// Compare it with the releases that it names.
    Check,
    /// Write it from the newest releases.
    Update,
}

/// Returns true if the file is what the maps state; an update makes it so.
///
/// # Errors
/// Python, a package or the network is missing, or the maps cannot be compared.
pub(crate) fn run(root: &Path, figures: Figures) -> Result<bool> {
    let (directory, file) = (root.join("target/models"), root.join(FIGURES));
    let present = fs::read_to_string(&file).with_context(|| FIGURES.to_owned())?;
    install(&directory, &packages(&present, figures)?)?;
    let catalogue = directory.join("catalogue.json");
    let listed = output(Command::new(built::aside(root)?).args(["models", "--json"]))?;
    fs::write(&catalogue, listed)?;
    let mut compare = Command::new(directory.join("venv/bin/python"));
    compare.arg("-B").arg(root.join("xtask/models/maps.py")).args([&catalogue, &file]);
    let wanted = output(&mut compare)?;
    if wanted == present {
        say(&format!("{FIGURES}: as the maps state"));
        return Ok(true);
    }
    if figures == Figures::Update {
        fs::write(&file, wanted)?;
        say(&format!("{FIGURES}: written; review it with git diff"));
        return Ok(true);
    }
    say(&format!("{FIGURES} differs from the maps; run cargo xtask models --update"));
    Ok(false)
}

/// Returns the packages as pip takes them: with the versions that the file
/// names, or the newest.
fn packages(present: &str, figures: Figures) -> Result<Vec<String>> {
    let sources = present.lines().filter_map(|it| it.strip_prefix("source "));
    let packages: Vec<String> = sources
        .filter_map(|source| {
            let mut words = source.split(' ');
            let (name, version) = (words.next()?, words.next()?);
            Some(match figures {
                Figures::Check => format!("{name}=={version}"),
                Figures::Update => name.to_owned(),
            })
        })
        .collect();
    ensure!(packages.len() == 2, "{FIGURES} does not name two sources");
    Ok(packages)
}

/// Installs the packages in a separate environment. From the first, LiteLLM,
/// only a data file is read, so its dependencies are left out.
fn install(directory: &Path, packages: &[String]) -> Result<()> {
    let environment = directory.join("venv");
    let python = environment.join("bin/python");
    if !python.exists() {
        installers::run(&mut installers::venv(&environment))?;
    }
    let pip = |options: &[&str], package: &String| {
        let mut command = installers::pip_install(&python);
        command
            .args(["--upgrade", "--no-compile", "--only-binary", ":all:"])
            .args(options)
            .arg(package);
        installers::run_online(&mut command)
    };
    pip(&["--no-deps"], &packages[0])?;
    pip(&[], &packages[1])
}
