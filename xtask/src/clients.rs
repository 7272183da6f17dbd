//! Independent clients against `aside serve --strict` through `aside proxy`:
//! the Anthropic SDKs for Python and TypeScript, and an agent of pydantic-ai.
//!
//! They are installed below `target`, with the versions and hashes in
//! `xtask/clients`. If that is not possible, the step is skipped with a
//! message; with `ASIDE_CLIENTS=required`, which `.ci/run` sets if the
//! registries respond, it fails.
//!
//! The goldens show the requests of Aside; this check shows those of others.
//! Each client works through its script against the proxy, once unchanged and
//! once with cache markers that the proxy sets (`--place aside`). A run passes
//! if the client succeeds, the server counts the same requests as the client,
//! the server reports no miss of the cache, and the record of the proxy agrees
//! with the predictions of the cache model.
//!
//! It finds, for example, a response header that an SDK insists on, a retry
//! that the proxy does not pass on, and a stream that ends in a way that a
//! client takes as an error. It needs `python3`, `node` and `npm`, and the
//! network for the first installation.

mod install;
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::clients::server::Server;
use crate::say;

/// A client: its name, its program and arguments.
struct Client {
    /// The name in messages: `anthropic (Python)`.
    name: &'static str,
    /// The interpreter and the script, started below `aside proxy`, which sets
    /// the variable of the base address.
    command: Vec<PathBuf>,
}

/// Returns true if a missing client is a fault: `ASIDE_CLIENTS=required`.
fn is_required() -> bool {
    std::env::var_os("ASIDE_CLIENTS").is_some_and(|value| value == "required")
}

/// Returns true if every request of every client was accepted and recorded.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let directory = root.join("target/clients");
    let clients = match install::all(root, &directory) {
        Ok(clients) => clients,
        Err(error) if is_required() => bail!("clients: {error:#}"),
        Err(error) => {
            say(&format!("clients: skipped: {error:#}"));
            return Ok(true);
        }
    };
    let aside = build(root)?;
    let script = root.join("xtask/clients/script.json");
    let mut good = true;
    for client in &clients {
        for placing in [&[][..], &["--place", "aside"]] {
            let outcome = exercise(&aside, &script, &directory, client, placing)
                .with_context(|| format!("{}, {placing:?}", client.name));
            match outcome {
                Ok(figures) => say(&format!("clients: {} {placing:?}: {figures}", client.name)),
                Err(error) => {
                    say(&format!("clients: {error:#}"));
                    good = false;
                }
            }
        }
    }
    Ok(good)
}

/// Runs one client and compares its counts with those of the servers.
///
/// The client prints the number of its requests as its only output; the two
/// failures on demand, which it repeats, are not among them. On success the
/// figures of the run are returned as one line for the log.
///
/// # Errors
/// If a count differs, a request missed the cache, or the client failed; then
/// with its last eight lines, the last one first.
fn exercise(
    aside: &Path,
    script: &Path,
    directory: &Path,
    client: &Client,
    placing: &[&str],
) -> Result<String> {
    let records = directory.join("records");
    if records.is_dir() {
        fs::remove_dir_all(&records)?;
    }
    let server = Server::start(aside, script)?;
    let mut command = Command::new(aside);
    command
        .arg("proxy")
        .arg("--upstream")
        .arg(format!("messages={}", server.url()))
        .arg("--record")
        .arg(&records)
        .args(placing)
        .arg("--")
        .args(&client.command)
        // The clients would ask a proxy of the environment for the address of ours.
        .envs([("NO_PROXY", "127.0.0.1"), ("no_proxy", "127.0.0.1")]);
    let output = command.output().context("failed to run the proxy")?;
    let report = server.stop()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let last: Vec<&str> = errors.lines().rev().take(8).collect();
        bail!("the client failed: {}", last.join(" | "));
    }
    let counted: u64 = String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .context("the client prints its requests")?;
    // The SDK for Python sends one request that has to be refused.
    let refused = u64::from(client.name == "anthropic (Python)");
    if report.refused != refused {
        bail!(
            "{} requests refused, expected {refused}: {}",
            report.refused,
            report.text
        );
    }
    if report.misses > 0 {
        bail!(
            "{} requests missed the cache: {}",
            report.misses,
            report.text
        );
    }
    if report.answered + report.refused != counted {
        bail!(
            "the client counts {counted} requests, the server {} answers and {} refusals",
            report.answered,
            report.refused
        );
    }
    let agreed = read_back(aside, &records)?;
    let summary = errors
        .lines()
        .rev()
        .find(|line| line.contains(" sessions, "))
        .unwrap_or_default()
        .split("; recorded in")
        .next()
        .unwrap_or_default();
    Ok(format!(
        "{counted} requests, {} refused, {} failed on demand, {agreed} with usage that agrees; {summary}",
        report.refused, report.failed
    ))
}

/// Reads the record with `aside cache explain`, and returns the number of
/// requests whose usage is the one that the model of the cache predicts. Any
/// other is an error.
///
/// Requests without recorded usage are left out, such as those that the server
/// refused.
fn read_back(aside: &Path, records: &Path) -> Result<usize> {
    let mut agreed = 0;
    for file in fs::read_dir(records)? {
        let path = file?.path();
        let mut command = Command::new(aside);
        command.args(["cache", "explain", "--json"]).arg(&path);
        let output = command.output().context("failed to run cache explain")?;
        let explained: serde_json::Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        for request in explained["requests"].as_array().into_iter().flatten() {
            let recorded = &request["recorded"];
            if recorded.is_null() {
                continue;
            }
            if *recorded != request["predicted"]["usage"] {
                bail!("the record {} disagrees: {request}", path.display());
            }
            agreed += 1;
        }
    }
    Ok(agreed)
}

/// Builds the command, and returns its path.
///
/// # Errors
/// If the command cannot be compiled.
pub(crate) fn build(root: &Path) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["build", "--quiet", "--package", "aside"])
        .current_dir(root);
    if !command.status().context("failed to run cargo")?.success() {
        bail!("the command was not built");
    }
    let name = format!("aside{}", std::env::consts::EXE_SUFFIX);
    Ok(root.join("target/debug").join(name))
}
