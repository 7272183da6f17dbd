//! Installs the clients, each version with its hashes.
//!
//! The directory has a stamp with the lists of versions. While it is equal,
//! nothing is installed and no network is needed; the scripts are copied each
//! time, so that a change of a script has an effect at once.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::Client;
use crate::installers;

/// Lists of versions: those of pip, and those of npm with their lock file.
const FILES: [&str; 3] = ["requirements.txt", "package.json", "package-lock.json"];
/// A client each.
const SCRIPTS: [&str; 3] = ["sdk.py", "agent.py", "sdk.mjs"];

/// Returns the clients, installed.
///
/// # Errors
/// If an installer is missing or fails. The caller decides whether that skips
/// the step.
pub(super) fn all(root: &Path, directory: &Path) -> Result<Vec<Client>> {
    let sources = root.join("xtask/clients");
    let mut wanted = String::new();
    for name in FILES {
        wanted += &fs::read_to_string(sources.join(name))?;
    }
    let stamp = directory.join("installed.txt");
    if !fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        fs::create_dir_all(directory)?;
        for name in FILES {
            fs::copy(sources.join(name), directory.join(name))?;
        }
        install(directory)?;
        fs::write(&stamp, &wanted)?;
    }
    // The TypeScript SDK is found next to the script.
    for name in SCRIPTS {
        fs::copy(sources.join(name), directory.join(name))?;
    }
    let python = directory.join("venv/bin/python");
    let client = |name, command: [&Path; 2]| Client {
        name,
        command: command.map(Path::to_owned).to_vec(),
    };
    Ok(vec![
        client("anthropic (Python)", [&python, &directory.join("sdk.py")]),
        client("pydantic-ai", [&python, &directory.join("agent.py")]),
        client(
            "anthropic (TypeScript)",
            [Path::new("node"), &directory.join("sdk.mjs")],
        ),
    ])
}

/// Installs the Python packages in `venv` and the Node packages next to it.
fn install(directory: &Path) -> Result<()> {
    let environment = directory.join("venv");
    installers::run(&mut installers::venv(&environment))?;
    let mut pip = installers::pip_install(&environment.join("bin/python"));
    pip.args([
        "--require-hashes",
        "--only-binary",
        ":all:",
        "--requirement",
    ]);
    installers::run_online(pip.arg(directory.join("requirements.txt")))?;
    installers::run_online(installers::npm("ci").current_dir(directory))
}
