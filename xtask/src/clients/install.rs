//! Installing the clients, each version with its hashes.
//!
//! Each directory has a stamp with its version lists. While it is equal,
//! nothing is installed and no network is needed; the scripts are copied each
//! time, so that a changed script has an effect at once.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Client;
use crate::installers;

/// Claude Code changes its requests' form with the model: reminders in system
/// messages or in user messages, an effort per message or none.
const CLAUDE_MODELS: [&str; 3] = ["claude-opus-5-5", "claude-opus-5", "claude-haiku-4-5"];

/// Installs the SDKs and the agent that CI runs.
///
/// # Errors
/// An installer is missing or fails. The caller decides whether that skips the
/// step.
pub(super) fn sdks(root: &Path, directory: &Path) -> Result<Vec<Client>> {
    let lists = ["requirements.txt", "package.json", "package-lock.json"];
    // The TypeScript SDK is found next to the script.
    let scripts = [
        "sdk.py",
        "agent.py",
        "sdk.mjs",
        "clock.py",
        "wires.py",
        "wires.mjs",
        "../conformance/closed.py",
    ];
    prepare(root, directory, &lists, &scripts, || {
        pip(directory, lists[0])?;
        installers::run_online(installers::npm("ci").current_dir(directory))
    })?;
    let client = |name: &str, interpreter: PathBuf, script: &str, refused| Client {
        name: name.into(),
        command: vec![interpreter, directory.join(script)],
        answers: root.join("xtask/clients/script.json"),
        refused,
    };
    let python = python(directory);
    Ok(vec![
        client("anthropic (Python)", python.clone(), "sdk.py", 1),
        client("pydantic-ai", python.clone(), "agent.py", 0),
        client("anthropic (TypeScript)", "node".into(), "sdk.mjs", 0),
        client("openai, google-genai (Python)", python, "wires.py", 5),
        client("openai, google-genai (TypeScript)", "node".into(), "wires.mjs", 1),
    ])
}

/// Installs claude-agent-sdk, once for each model.
///
/// # Errors
/// As [`sdks`].
pub(super) fn claude(root: &Path, directory: &Path) -> Result<Vec<Client>> {
    let list = "claude-requirements.txt";
    prepare(root, directory, &[list], &["claude.py"], || pip(directory, list))?;
    let client = |model| Client {
        name: format!("claude-agent-sdk with {model}"),
        command: vec![python(directory), directory.join("claude.py"), PathBuf::from(model)],
        answers: root.join("xtask/clients/claude.json"),
        refused: 0,
    };
    Ok(CLAUDE_MODELS.map(client).into())
}

/// Installs what some agents in `agents.json` share.
///
/// # Errors
/// As [`sdks`].
pub(super) fn agents(root: &Path, directory: &Path, kind: &str) -> Result<()> {
    let python = |list: &'static str, scripts: &[&str]| {
        let file = Path::new(list).file_name().unwrap_or_default();
        prepare(root, directory, &[list], scripts, || pip(directory, file))
    };
    match kind {
        "npm" => {
            let lists = ["agents/package.json", "agents/package-lock.json"];
            let scripts = ["agents/vercel_agent.mjs"];
            prepare(root, directory, &lists, &scripts, || {
                // Not `ci`: it insists on packages for other platforms, which a
                // mirror of the registry may not have. The lock pins the
                // versions and their hashes.
                installers::run_online(installers::npm("install").current_dir(directory))
            })
        }
        "python" => python(
            "agents/requirements.txt",
            &["agents/langchain_agent.py", "agents/openai_agent.py", "agents/pydantic_agent.py"],
        ),
        "aider" => python("agents/aider.txt", &[]),
        _ => python("claude-requirements.txt", &["claude.py"]),
    }
}

/// Returns the Python in the environment that [`pip`] creates.
pub(super) fn python(directory: &Path) -> PathBuf {
    directory.join("venv/bin/python")
}

/// Installs the lists unless the stamp equals them, and copies the scripts.
fn prepare(
    root: &Path,
    directory: &Path,
    lists: &[&str],
    scripts: &[&str],
    install: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let sources = root.join("xtask/clients");
    let mut wanted = String::new();
    for name in lists {
        wanted += &fs::read_to_string(sources.join(name))?;
    }
    fs::create_dir_all(directory)?;
    for name in lists.iter().chain(scripts) {
        let file = Path::new(name).file_name().unwrap_or_default();
        fs::copy(sources.join(name), directory.join(file))?;
    }
    let stamp = directory.join("installed.txt");
    if !fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        install()?;
        fs::write(&stamp, &wanted)?;
    }
    Ok(())
}

/// Installs a list's Python packages in `venv`.
fn pip(directory: &Path, list: impl AsRef<Path>) -> Result<()> {
    installers::run(&mut installers::venv(&directory.join("venv")))?;
    let list = directory.join(list);
    installers::run_online(&mut installers::pip_install_list(&python(directory), &list))
}
