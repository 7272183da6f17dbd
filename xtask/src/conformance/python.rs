//! Installing the SDKs in a virtual environment below `target`.
//!
//! The environment is complete if `installed.txt` holds the same text as all
//! requirement lists together. So changing one version installs everything
//! again, and an interrupted installation is repeated.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::installers;
use crate::output;

/// Installed in its own directory, because the environment has a newer version.
pub(crate) const OLD_ANTHROPIC: &str = "anthropic 1.17.0";

/// The requirement files, each version with its hashes.
const REQUIREMENTS: [&str; 3] = ["requirements.txt", "anthropic-2023-06-01.txt", "tokens.txt"];

/// The rules to compare with the types: a built command's, for a version of the
/// Messages API.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    pub(crate) aside: &'a Path,
    pub(crate) version: Option<&'a str>,
}

/// What to do with the shapes generated from the types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shapes {
    Compare,
    Write,
}

/// A Python with the SDKs.
#[derive(Debug)]
pub(crate) struct Python {
    /// Where the program is: `xtask/conformance`.
    scripts: PathBuf,
    /// Where the environment is: `target/conformance`, which `cargo clean`
    /// removes.
    directory: PathBuf,
}

impl Python {
    /// Creates the environment, unless it exists with these versions.
    ///
    /// # Errors
    /// There is no Python, no `venv`, or no network.
    pub(crate) fn ready(root: &Path) -> Result<Self> {
        let python = Self {
            scripts: root.join("xtask/conformance"),
            directory: root.join("target/conformance"),
        };
        let mut wanted = String::new();
        for name in REQUIREMENTS {
            wanted.push_str(&fs::read_to_string(python.scripts.join(name))?);
        }
        let stamp = python.directory.join("installed.txt");
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(python);
        }
        python.install()?;
        fs::write(&stamp, wanted)?;
        Ok(python)
    }

    /// Returns the environment's directory, in which files may be written.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn older(&self) -> PathBuf {
        self.directory.join("anthropic-2023-06-01")
    }

    fn tokenizers(&self) -> PathBuf {
        self.directory.join("tokenizers")
    }

    /// Runs the check. Packages in the directory `library` take precedence over
    /// the environment's. Returns true if every body conforms.
    pub(crate) fn check(
        &self,
        manifest: &Path,
        library: Option<&Path>,
        rules: Rules<'_>,
    ) -> Result<bool> {
        let mut command = self.script("check.py");
        command.arg(manifest).arg(rules.aside).args(rules.version);
        command.envs(library.map(|library| ("PYTHONPATH", library)));
        let status = command.status().context("failed to run the check")?;
        Ok(status.success())
    }

    /// Writes the types' shapes in a directory, or compares them with the files
    /// there. Returns true if they are the same.
    pub(crate) fn shapes(&self, directory: &Path, shapes: Shapes) -> Result<bool> {
        let mut command = self.script("shapes.py");
        command.arg(directory);
        if shapes == Shapes::Compare {
            command.arg("--check");
        }
        let status = command.status().context("failed to write the shapes")?;
        Ok(status.success())
    }

    /// Compares token estimates with the tokenizers. Returns true if none is
    /// too far off.
    pub(crate) fn tokens(&self, counts: &Path, estimates: &Path) -> Result<bool> {
        let mut command = self.script("tokens.py");
        command.arg(counts).arg(estimates);
        command.env("PYTHONPATH", self.tokenizers());
        let status = command.status().context("failed to count tokens")?;
        Ok(status.success())
    }

    /// Returns a program's output.
    pub(crate) fn output(&self, script: &str) -> Result<String> {
        output(&mut self.script(script))
    }

    /// Returns a Python program as a command that ignores the user's packages
    /// and leaves no `__pycache__`.
    fn script(&self, name: &str) -> Command {
        let mut command = Command::new(self.program());
        command.arg("-B").arg(self.scripts.join(name));
        command.env("PYTHONNOUSERSITE", "1").env_remove("PYTHONPATH");
        command
    }

    /// Creates an empty environment and installs the three lists, two of them
    /// in directories of their own: the older SDK has the same name as the
    /// current one, and a tokenizer states a newer Python than it needs.
    fn install(&self) -> Result<()> {
        fs::create_dir_all(&self.directory)?;
        let environment = self.directory.join("venv");
        installers::run(&mut installers::venv(&environment))?;
        let [all, old, tokens] = REQUIREMENTS.map(|name| self.scripts.join(name));
        installers::run_online(&mut installers::pip_install_list(&self.program(), &all))?;
        self.install_apart(&old, &self.older())?;
        // One states a newer Python than it needs.
        self.install_apart(&tokens, &self.tokenizers())
    }

    /// Installs exactly these packages in their own directory.
    fn install_apart(&self, requirements: &Path, directory: &Path) -> Result<()> {
        if directory.is_dir() {
            fs::remove_dir_all(directory)?;
        }
        let mut command = installers::pip_install_list(&self.program(), requirements);
        command.args(["--ignore-requires-python", "--target"]);
        installers::run_online(command.arg(directory))
    }

    /// Returns the environment's interpreter.
    fn program(&self) -> PathBuf {
        let program = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
        self.directory.join("venv").join(program)
    }
}
