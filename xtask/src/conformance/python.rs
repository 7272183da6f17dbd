//! Installs the SDKs in a virtual environment below `target`.
//!
//! The environment is complete if `installed.txt` holds the same text as all
//! lists of requirements together. A change of one version therefore installs
//! everything again, and an interrupted installation is repeated.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::installers;

/// Installed in a directory of its own, because the environment has a newer
/// version.
pub(crate) const OLD_ANTHROPIC: &str = "anthropic 1.17.0";

/// The files of requirements, each version with its hashes.
const REQUIREMENTS: [&str; 3] = ["requirements.txt", "anthropic-2023-06-01.txt", "tokens.txt"];

/// The rules that are compared with the types: those of a built command, for a
/// version of the Messages API.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    pub(crate) aside: &'a Path,
    pub(crate) version: Option<&'a str>,
}

/// What to do with the shapes that are generated from the types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shapes {
    Compare,
    Write,
}

/// A Python with the SDKs.
#[derive(Debug)]
pub(crate) struct Python {
    /// The directory of the program, `xtask/conformance`.
    scripts: PathBuf,
    /// The directory of the environment, `target/conformance`, which `cargo
    /// clean` removes.
    directory: PathBuf,
}

impl Python {
    /// Creates the environment, unless it exists with these versions.
    ///
    /// # Errors
    /// If there is no Python, no `venv`, or no network.
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

    /// Returns the directory of the environment, in which files may be written.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the directory of [`OLD_ANTHROPIC`].
    pub(crate) fn older(&self) -> PathBuf {
        self.directory.join("anthropic-2023-06-01")
    }

    /// Returns the directory of the tokenizers.
    fn tokenizers(&self) -> PathBuf {
        self.directory.join("tokenizers")
    }

    /// Runs the check. Packages in the directory `library` take precedence over
    /// those of the environment. Returns true if every body conforms.
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

    /// Writes the shapes of the types in a directory, or compares them with the files that are there.
    /// Returns true if they are the same.
    pub(crate) fn shapes(&self, directory: &Path, shapes: Shapes) -> Result<bool> {
        let mut command = self.script("shapes.py");
        command.arg(directory);
        if shapes == Shapes::Compare {
            command.arg("--check");
        }
        let status = command.status().context("failed to write the shapes")?;
        Ok(status.success())
    }

    /// Compares token estimates with the tokenizers. Returns true if none is too
    /// far off.
    pub(crate) fn tokens(&self, counts: &Path, estimates: &Path) -> Result<bool> {
        let mut command = self.script("tokens.py");
        command.arg(counts).arg(estimates);
        command.env("PYTHONPATH", self.tokenizers());
        let status = command.status().context("failed to count tokens")?;
        Ok(status.success())
    }

    /// Returns the output of a program of the directory.
    pub(crate) fn output(&self, script: &str) -> Result<String> {
        let output = self
            .script(script)
            .output()
            .with_context(|| format!("failed to run {script}"))?;
        if !output.status.success() {
            bail!("{script}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Returns a Python program of the directory as a command that ignores
    /// packages of the user and leaves no `__pycache__`.
    fn script(&self, name: &str) -> Command {
        let mut command = Command::new(self.program());
        command.arg("-B").arg(self.scripts.join(name));
        command
            .env("PYTHONNOUSERSITE", "1")
            .env_remove("PYTHONPATH");
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

    /// Installs exactly these packages in a directory of their own.
    fn install_apart(&self, requirements: &Path, directory: &Path) -> Result<()> {
        if directory.is_dir() {
            fs::remove_dir_all(directory)?;
        }
        let mut command = installers::pip_install_list(&self.program(), requirements);
        command.args(["--ignore-requires-python", "--target"]);
        installers::run_online(command.arg(directory))
    }

    /// Returns the path of the interpreter in the environment.
    fn program(&self) -> PathBuf {
        let program = if cfg!(windows) {
            "Scripts/python.exe"
        } else {
            "bin/python"
        };
        self.directory.join("venv").join(program)
    }
}
