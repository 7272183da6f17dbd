//! Installs the clients, each version with its hashes.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Client;

const FILES: [&str; 3] = ["requirements.txt", "package.json", "package-lock.json"];
const SCRIPTS: [&str; 3] = ["sdk.py", "agent.py", "sdk.mjs"];

/// Returns the clients, installed.
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

fn install(directory: &Path) -> Result<()> {
    let python = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.args(arguments).arg(directory.join("venv"));
        command
    };
    run(&mut python(&["-m", "venv", "--clear"]))?;
    let mut pip = Command::new(directory.join("venv/bin/python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ])
    .args([
        "--require-hashes",
        "--only-binary",
        ":all:",
        "--requirement",
    ])
    .arg(directory.join("requirements.txt"));
    run(&mut pip)?;
    let mut npm = Command::new("npm");
    npm.args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--silent",
    ])
    .current_dir(directory);
    run(&mut npm)
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_owned();
    let output = command
        .output()
        .with_context(|| format!("failed to run {}", program.display()))?;
    if !output.status.success() {
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let last = text.trim().lines().next_back().unwrap_or_default();
        bail!("{}: {last}", program.display());
    }
    Ok(())
}
