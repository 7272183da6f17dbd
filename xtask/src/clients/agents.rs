//! Whole agents through the proxy and through the conformance suite.
//!
//! `xtask/clients/agents.json` has a row for each agent: how to install it, to start it and to
//! point it at the proxy. To add an agent, add a row. Each works on one prompt in its own
//! directory, with a home that is empty except for the files in its row.
//!
//! Two proxies, one behind the other, record the first run's requests: their bodies have to be
//! equal, so the first one forwards what it got. The suite's score card is printed, not judged:
//! what an agent does is up to it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::server::Server;
use super::{check, finish, install, read_back};
use crate::Extent;

/// In a short run.
const SHORT: [&str; 2] = ["plain-loop", "parallel-calls"];

#[derive(Deserialize)]
pub(super) struct Agents {
    /// When the versions, and the table in the docs, were made.
    pub(super) date: String,
    pub(super) agents: Vec<Agent>,
}

/// An agent. In `command`, `{install}` is where it is installed.
#[derive(Deserialize)]
pub(super) struct Agent {
    pub(super) name: String,
    pub(super) version: String,
    /// The installation, which several agents share: `npm`, `python`, `aider` or `claude`.
    pub(super) install: String,
    command: Vec<String>,
    new: Option<String>,
    resume: Option<String>,
    fork: Option<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// Files in the home directory.
    #[serde(default)]
    home: BTreeMap<String, String>,
    /// How to point it at the proxy.
    pub(super) pointed: String,
    /// The API, and whether it sets markers.
    pub(super) sends: String,
}

/// # Errors
/// It is malformed.
pub(super) fn list(root: &Path) -> Result<Agents> {
    let text = fs::read_to_string(root.join("xtask/clients/agents.json"))?;
    serde_json::from_str(&text).context("xtask/clients/agents.json")
}

impl Agents {
    /// Returns the docs page, with these rows.
    pub(super) fn page(&self, rows: &str) -> String {
        format!(
            "| agent | point it at the proxy with | sends | through the proxy | `aside serve --suite` |\n\
             |---|---|---|---|---|\n{rows}\nAs of {}.\n",
            self.date
        )
    }
}

impl Agent {
    /// Returns the row for the table in the docs.
    pub(super) fn row(&self, proxied: &str, scored: &str) -> String {
        let (name, version) = (&self.name, &self.version);
        let (pointed, sends) = (&self.pointed, &self.sends);
        format!("| {name} {version} | {pointed} | {sends} | {proxied} | {scored} |\n")
    }
}

/// The directories for a run.
pub(super) struct Bench<'a> {
    pub(super) root: &'a Path,
    pub(super) aside: &'a Path,
    /// Where the agent is installed.
    pub(super) installed: &'a Path,
    /// Holds its home, its working directory and the records.
    pub(super) directory: PathBuf,
}

impl Bench<'_> {
    /// Runs an agent through the proxy as it is, and with `--place aside`.
    ///
    /// # Errors
    /// The agent fails or sends no request, or a request is refused, misses the cache, is changed
    /// on its way, or costs more with the proxy's markers.
    pub(super) fn through_proxy(&self, agent: &Agent) -> Result<String> {
        let (_, count) = self.exercise(agent, &[])?;
        let ([as_sent, placed], _) = self.exercise(agent, &["--place", "aside"])?;
        if placed > as_sent * 1.000_001 {
            bail!("dearer with --place aside: ${placed:.4}, ${as_sent:.4} as sent");
        }
        Ok(if placed > 0.0 {
            format!("{count} requests; input ${as_sent:.4}, with `--place` ${placed:.4}")
        } else {
            format!("{count} requests")
        })
    }

    /// Runs an agent once. Returns the predicted price of the input with its own markers and as it
    /// was forwarded (0 if no marker was replaced), and the number of requests.
    fn exercise(&self, agent: &Agent, placing: &[&str]) -> Result<([f64; 2], usize)> {
        let work = self.clean("work")?;
        let (outer, inner) = (self.clean("outer")?, self.clean("inner")?);
        let situation = self.root.join("crates/gateway/situations/plain-loop.json");
        let script = fs::read_to_string(situation)?.replace("{dir}", &work.display().to_string());
        for name in ["notes.txt", "more.txt"] {
            fs::write(work.join(name), "The ferry leaves at nine.\n".repeat(20))?;
        }
        let answers = self.directory.join("script.json");
        fs::write(&answers, script)?;
        let server = Server::start(self.aside, &answers)?;
        let mut command = Command::new(self.aside);
        command.arg("proxy").args(server.upstreams());
        command.args(placing).args(["--json", "--record"]).arg(&outer);
        command.arg("--").arg(self.aside).args(["proxy", "--record"]).arg(&inner).arg("--");
        let words = self.words(agent);
        let words = words.iter().filter(|word| *word != "{session}");
        command.args(words.map(|word| match word.as_str() {
            "{prompt}" => "Read notes.txt and tell me when the ferry leaves.",
            word => word,
        }));
        self.environment(agent, &mut command)?;
        let finished = finish(command.current_dir(&work));
        let report = server.stop()?;
        let (_, errors) = finished.with_context(|| report.text.clone())?;
        if report.refused + report.misses > 0 || report.answered == 0 {
            bail!("the server: {}", report.text);
        }
        let bodies = bodies(&outer)?;
        if placing.is_empty() && bodies != self::bodies(&inner)? {
            bail!("the two proxies recorded other bodies");
        }
        check(self.aside, &outer, false)?;
        read_back(self.aside, &outer)?;
        let summary = errors.lines().rev().find_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            let predicted = line.get("summary")?.get("predicted")?.clone();
            let price = |key: &str| predicted[key].as_f64().unwrap_or_default();
            Some([price("as_sent"), price("as_forwarded")])
        });
        Ok((summary.context("the proxy prints its summary")?, bodies.len()))
    }

    /// Runs an agent through the suite. Returns a line with the score for each situation that is
    /// not clean.
    ///
    /// # Errors
    /// The suite prints no score card.
    pub(super) fn through_suite(&self, agent: &Agent, extent: Extent) -> Result<String> {
        let mut command = Command::new(self.aside);
        command.args(["serve", "--json", "--timeout", "120", "--suite"]);
        if extent == Extent::Short {
            command.args(SHORT);
        }
        for (option, arguments) in
            [("--new", &agent.new), ("--resume", &agent.resume), ("--fork", &agent.fork)]
        {
            command.args(arguments.iter().map(|it| format!("{option}={it}")));
        }
        command.arg("--").args(self.words(agent));
        self.environment(agent, &mut command)?;
        let output = command.output().context("failed to run the suite")?;
        let card: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        let scores = card["scores"].as_array().context("scores")?;
        let mut clean = 0;
        let mut others: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for score in scores {
            let outcome = score["outcome"].as_str().unwrap_or_default();
            let situation = score["situation"].as_str().unwrap_or_default();
            let findings = score["findings"].as_array().into_iter().flatten();
            let mut kinds: Vec<&str> = findings.filter_map(|it| it["kind"].as_str()).collect();
            kinds.dedup();
            match outcome {
                "clean" => clean += 1,
                "findings" => others.entry(kinds.join(", ")).or_default().push(situation),
                _ => others.entry(outcome.replace('_', " ")).or_default().push(situation),
            }
        }
        let others = others.iter().map(|(kind, names)| format!("; {kind}: {}", names.join(", ")));
        Ok(format!("{clean} of {} clean{}", scores.len(), others.collect::<String>()))
    }

    /// Returns the command, with the installation's directory filled in.
    fn words(&self, agent: &Agent) -> Vec<String> {
        let installed = self.installed.display().to_string();
        let words = agent.command.iter();
        words.map(|word| word.replace("{install}", &installed)).collect()
    }

    /// Sets a new home, fake keys, and the agent's variables.
    fn environment(&self, agent: &Agent, command: &mut Command) -> Result<()> {
        let home = self.clean("home")?;
        for (path, text) in &agent.home {
            let path = home.join(path);
            fs::create_dir_all(path.parent().context("a path below the home directory")?)?;
            fs::write(path, text)?;
        }
        // The installation's Node is newer than many machines'.
        let mut path = vec![self.installed.join("node_modules/.bin")];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        command.env("PATH", std::env::join_paths(path)?).env("HOME", home);
        for key in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
            command.env(key, "none");
        }
        for name in ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"] {
            command.env_remove(name);
        }
        let no_proxy = [("NO_PROXY", "127.0.0.1"), ("no_proxy", "127.0.0.1")];
        command.envs(no_proxy).envs(&agent.environment);
        Ok(())
    }

    fn clean(&self, name: &str) -> Result<PathBuf> {
        let path = self.directory.join(name);
        if path.is_dir() {
            fs::remove_dir_all(&path)?;
        }
        fs::create_dir_all(&path)?;
        Ok(path)
    }
}

#[derive(Deserialize)]
struct Recorded<'a> {
    /// The request's bytes, except for line breaks between tokens.
    #[serde(borrow)]
    body: &'a RawValue,
}

/// Returns a record's bodies, sorted: requests may be sent at once.
fn bodies(records: &Path) -> Result<Vec<String>> {
    let mut bodies = Vec::new();
    for file in fs::read_dir(records)? {
        for line in fs::read_to_string(file?.path())?.lines() {
            let line: Recorded<'_> = serde_json::from_str(line)?;
            bodies.push(line.body.get().to_owned());
        }
    }
    bodies.sort_unstable();
    Ok(bodies)
}

/// Installs what an agent needs. Returns the directory.
///
/// # Errors
/// As [`install::sdks`].
pub(super) fn installed(root: &Path, directory: &Path, agent: &Agent) -> Result<PathBuf> {
    let directory = directory.join(&agent.install);
    install::agents(root, &directory, &agent.install)?;
    Ok(directory)
}
