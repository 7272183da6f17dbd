//! Independent clients against `aside serve --strict` through `aside proxy`:
//! the SDKs by Anthropic, OpenAI and Google for Python and TypeScript, and a
//! pydantic-ai agent. `--full` adds claude-agent-sdk, whose wheel has Claude
//! Code.
//!
//! They are installed below `target`, with the versions and hashes in
//! `xtask/clients`. When that is not possible, they are skipped with a message;
//! with `ASIDE_CLIENTS=required`, which `.ci/run` sets if the registries
//! respond, the step fails.
//!
//! The goldens show Aside's own requests; this check shows other programs'. Two
//! MCP servers from the registry, `server-everything` and `server-filesystem`,
//! are started by `aside context` and `aside run`.
//!
//! Each client works through its script against the proxy, once unchanged and
//! once with cache markers that the proxy sets (`--place aside`). A run passes
//! if the client succeeds, the server counts the same requests as the client,
//! `aside check` refuses no accepted request, none missed the cache, and the
//! proxy's record agrees with what the cache model predicts.
//!
//! It finds, for example, a response header that an SDK insists on, a retry
//! that the proxy does not pass on, and a stream that ends in a way that a
//! client takes as an error. A last client, `clock.py`, has a clock in its
//! system text: the server has to report its misses. The check needs `python3`,
//! `node` and `npm`, and the network for the first installation.
//!
//! After the clients with their own scripts come the agents in `agents.json`,
//! which get one prompt: see the module `agents`.

mod agents;
mod install;
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::clients::server::{Report, Server};
use crate::{Extent, built, say};

/// The agents in CI: the two that install fastest.
const SMALLEST: [&str; 2] = ["LangChain", "openai-agents"];

/// An installed client.
struct Client {
    /// For messages: `anthropic (Python)`.
    name: String,
    /// The interpreter, the script and its arguments, started below `aside
    /// proxy`, which sets the variable for the base URL.
    command: Vec<PathBuf>,
    /// The server's script.
    answers: PathBuf,
    /// How many of its requests have to be refused.
    refused: usize,
}

/// Returns the clients; none if they could not be installed and may be missing.
///
/// # Errors
/// They are required: `ASIDE_CLIENTS=required`.
fn or_skip<T>(what: &str, clients: Result<Vec<T>>) -> Result<Vec<T>> {
    let is_required = std::env::var_os("ASIDE_CLIENTS").is_some_and(|value| value == "required");
    clients.or_else(|error| {
        if is_required {
            bail!("clients: {what}: {error:#}");
        }
        say(&format!("clients: {what} skipped: {error:#}"));
        Ok(Vec::new())
    })
}

/// Runs the clients in CI, and in full claude-agent-sdk. Returns true if every
/// request by every client was accepted and recorded, and if the server reported
/// the misses of the client with a clock.
pub(crate) fn run(root: &Path, extent: Extent) -> Result<bool> {
    let directory = root.join("target/clients");
    let mut clients = or_skip("SDKs", install::sdks(root, &directory))?;
    let has_sdks = !clients.is_empty();
    if extent == Extent::Full {
        let claude = install::claude(root, &directory.join("claude"));
        clients.extend(or_skip("claude-agent-sdk", claude)?);
    }
    let aside = built::aside(root)?;
    let mut good = true;
    let mut report = |name: &str, outcome: Result<String>| match outcome {
        Ok(figures) => say(&format!("clients: {name}: {figures}")),
        Err(error) => {
            say(&format!("clients: {name}: {error:#}"));
            good = false;
        }
    };
    for client in &clients {
        for placing in [&[][..], &["--place", "aside"]] {
            let outcome = exercise(&aside, &directory, client, placing);
            report(&format!("{} {placing:?}", client.name), outcome);
        }
    }
    if has_sdks {
        report("MCP servers", servers(root, &aside, &directory));
        report("clock in the system text", clock(&aside, &directory));
    }
    Ok(agents(root, extent, &[])? && good)
}

/// Runs the agents in `agents.json`: the named ones, or without names all, in a
/// short run two. Returns true if all of them work through the proxy.
pub(crate) fn agents(root: &Path, extent: Extent, names: &[&str]) -> Result<bool> {
    let list = agents::list(root)?;
    let is_known = |name: &str| list.agents.iter().any(|agent| agent.name == name);
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        bail!("xtask/clients/agents.json has no agent {name:?}");
    }
    let aside = built::aside(root)?;
    let directory = root.join("target/clients");
    let mut good = true;
    let mut rows = String::new();
    for agent in &list.agents {
        let name = &*agent.name;
        let is_left_out = match names {
            [] => extent == Extent::Short && !SMALLEST.contains(&name),
            names => !names.contains(&name),
        };
        if is_left_out {
            continue;
        }
        let installed = agents::installed(root, &directory, agent).map(|it| vec![it]);
        for installed in or_skip(&agent.name, installed)? {
            let bench = agents::Bench {
                root,
                aside: &aside,
                installed: &installed,
                directory: directory.join("bench").join(&agent.name),
            };
            let shown = |what: &str, outcome: Result<String>| {
                let text = outcome.unwrap_or_else(|error| format!("failed: {error:#}"));
                say(&format!("clients: {}: {what}{text}", agent.name));
                text
            };
            let proxied = bench.through_proxy(agent);
            good &= proxied.is_ok();
            let proxied = shown("", proxied);
            let scored = shown("suite: ", bench.through_suite(agent, extent));
            rows += &agent.row(&proxied, &scored);
        }
    }
    if extent == Extent::Full {
        fs::create_dir_all(&directory)?;
        fs::write(directory.join("agents.md"), list.page(&rows))?;
    }
    Ok(good)
}

/// Starts two real MCP servers, lists what they offer, and calls their tools by
/// a recording, which has the assertions.
///
/// # Errors
/// A server does not start, or a request lacks what the recording expects.
fn servers(root: &Path, aside: &Path, directory: &Path) -> Result<String> {
    let server = |name: &str| {
        let script = format!("node_modules/@modelcontextprotocol/server-{name}/dist/index.js");
        directory.join(script).display().to_string()
    };
    let config = serde_json::json!({"mcpServers": {
        "everything": {"command": "node", "args": [server("everything"), "stdio"]},
        "files": {"command": "node", "args": [server("filesystem"), directory]},
    }});
    let config = config.to_string();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(aside);
        command.args(arguments).args(["--mcp-config", &config]);
        command.current_dir(directory);
        finish(command.env("ASIDE_DIR", directory.join("aside")))
    };
    let (printed, errors) = run(&["context", "Hi", "--json"])?;
    let report: serde_json::Value = serde_json::from_str(&printed)?;
    let shares = report["servers"].as_array().into_iter().flatten();
    let tools: Vec<String> =
        shares.map(|share| format!("{} of {}", share["tools"], share["name"])).collect();
    if tools.len() != 2 {
        bail!("{} of 2 servers have tools: {errors}", tools.len());
    }
    let recording = root.join("xtask/clients/mcp.json").display().to_string();
    let prompt = "See @everything:demo://resource/static/document/features.md";
    let (_, errors) = run(&["run", prompt, "--replay", &recording])?;
    // The server has one tool that has to be called as a task.
    let is_fault = |line: &str| line.contains("left out") && !line.contains("as a task");
    if errors.lines().any(is_fault) {
        bail!("{errors}");
    }
    Ok(format!("{} tools, five calls, a resource", tools.join(" and ")))
}

/// Runs the client that has to fail; its script has the assertions.
fn clock(aside: &Path, directory: &Path) -> Result<String> {
    let mut command = Command::new(install::python(directory));
    finish(command.arg(directory.join("clock.py")).arg(aside)).map(|(figures, _)| figures)
}

/// Runs a command that connects to this machine only, and returns its stdout
/// and stderr.
///
/// # Errors
/// It fails; the error has its last eight lines, the last one first.
fn finish(command: &mut Command) -> Result<(String, String)> {
    // The clients would ask a proxy in the environment for the address of ours.
    let no_proxy = [("NO_PROXY", "127.0.0.1"), ("no_proxy", "127.0.0.1")];
    let output = command.envs(no_proxy).output();
    let output = output.context("failed to run the client")?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        let last: Vec<&str> = errors.lines().rev().take(8).collect();
        bail!("the client failed: {}", last.join(" | "));
    }
    let printed = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((printed, errors))
}

/// Runs one client and compares its counts with the servers'.
///
/// The client prints only how many requests it made; the two failures on
/// demand, which it repeats, do not count. On success the figures are returned
/// as one line for the log.
///
/// # Errors
/// A count differs, a request missed the cache, or the client failed.
fn exercise(aside: &Path, directory: &Path, client: &Client, placing: &[&str]) -> Result<String> {
    let records = directory.join("records");
    if records.is_dir() {
        fs::remove_dir_all(&records)?;
    }
    let server = Server::start(aside, &client.answers)?;
    let mut command = Command::new(aside);
    command
        .arg("proxy")
        .args(server.upstreams())
        .arg("--record")
        .arg(&records)
        .args(placing)
        .env("ASIDE_SERVER", server.url())
        .arg("--")
        .args(&client.command);
    let finished = finish(&mut command);
    let report = server.stop()?;
    let (printed, errors) = finished.with_context(|| report.text.clone())?;
    let counted: usize = printed.parse().context("the client prints its requests")?;
    compare(client, counted, &report)?;
    check(aside, &records, report.refused > 0)?;
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

/// Compares the server's report with the client.
///
/// # Errors
/// A count differs, or a request missed the cache.
fn compare(client: &Client, counted: usize, report: &Report) -> Result<()> {
    let expected = client.refused;
    if report.refused != expected {
        bail!("{} requests refused, expected {expected}: {}", report.refused, report.text);
    }
    if report.misses > 0 {
        bail!("{} requests missed the cache: {}", report.misses, report.text);
    }
    if report.answered + report.refused != counted {
        bail!(
            "the client counts {counted} requests, the server {} answers and {} refusals",
            report.answered,
            report.refused
        );
    }
    Ok(())
}

/// Checks the bodies that the server accepted with `aside check`.
///
/// The file with the number 0 has the requests without a session: those to
/// other paths, and those that failed. It is left out `with_refused` requests.
///
/// # Errors
/// It would refuse one.
fn check(aside: &Path, records: &Path, with_refused: bool) -> Result<()> {
    let mut command = Command::new(aside);
    command.arg("check");
    for file in fs::read_dir(records)? {
        let path = file?.path();
        if !(with_refused && path.to_string_lossy().ends_with("-0000.jsonl")) {
            command.arg(path);
        }
    }
    let output = command.output().context("failed to run check")?;
    if !output.status.success() {
        let found = String::from_utf8_lossy(&output.stdout);
        let first: Vec<&str> = found.lines().take(3).collect();
        bail!("check refuses what the server accepted: {}", first.join(" | "));
    }
    Ok(())
}

/// Reads the record with `aside cache explain`, and returns how many requests
/// have the usage that the cache model predicts. Any other is an error, and so
/// is a miss.
///
/// Leaves out requests without recorded usage, such as those that the server
/// refused.
fn read_back(aside: &Path, records: &Path) -> Result<usize> {
    let mut agreed = 0;
    for file in fs::read_dir(records)? {
        let path = file?.path();
        let mut command = Command::new(aside);
        command.args(["cache", "explain", "--json", "--no-text"]);
        let output = command.arg(&path).output();
        let output = output.context("failed to run cache explain")?;
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
            if !request["predicted"]["miss"].is_null() {
                bail!("the record {} has a miss: {request}", path.display());
            }
            agreed += 1;
        }
    }
    Ok(agreed)
}
