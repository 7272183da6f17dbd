//! `aside memory --as all`: each file with its state for each agent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_claudemd::{Profile, SkipReason, UnloadedReason};
use aside_session::SessionConfig;
use aside_text::one_line;
use serde::Serialize;

use crate::Failure;
use crate::arguments::Memory;
use crate::output;
use crate::paint::{Paint, Tone};

/// The state of a file for an agent.
#[derive(Clone, Debug, Serialize)]
struct State {
    agent: &'static str,
    /// `loaded`, `on_touch`, `on_request`, `manual` or `not`.
    state: &'static str,
    detail: String,
    /// The length of the text that the model gets.
    bytes: Option<usize>,
    #[serde(skip)]
    text: Option<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    agents: Vec<Agent>,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
struct Agent {
    name: &'static str,
    agent: &'static str,
    destination: Option<&'static str>,
    unknown: &'static [&'static str],
}

#[derive(Serialize)]
struct File<'a> {
    path: String,
    states: &'a [State],
}

type Files = BTreeMap<PathBuf, Vec<State>>;

pub(super) fn run(config: &SessionConfig, arguments: &Memory, paint: Paint) -> Result<(), Failure> {
    let mut files = Files::new();
    for profile in Profile::ALL {
        collect(&mut files, config, arguments, profile)?;
    }
    for states in files.values_mut() {
        complete(states);
    }
    let text = if arguments.json {
        json(&files)?
    } else {
        table(&files, &config.cwd, paint)
    };
    output::print([text.as_bytes()])?;
    Ok(())
}

fn collect(
    files: &mut Files,
    config: &SessionConfig,
    arguments: &Memory,
    profile: Profile,
) -> Result<(), Failure> {
    let agent = profile.as_str();
    let loader = config.memory.clone().profile(profile);
    let mut memory = loader
        .load(&config.cwd)
        .context("failed to load instruction files")
        .map_err(Failure::usage)?;
    let mut loaded = memory.files().to_vec();
    for path in &arguments.touch {
        loaded.extend(memory.touch(path));
    }
    for file in loaded {
        let mut detail = file.reason.as_str().to_owned();
        if let Some(parent) = &file.parent {
            detail.push_str(&format!(", imported by {}", parent.display()));
        }
        files.entry(file.path).or_default().push(State {
            agent,
            state: "loaded",
            detail,
            bytes: Some(file.bytes),
            text: Some(file.text),
        });
    }
    for unloaded in memory.unloaded().files {
        let state = match unloaded.reason {
            UnloadedReason::WaitsForPath { .. } | UnloadedReason::BelowWorkingDirectory => {
                "on_touch"
            }
            UnloadedReason::Skipped(SkipReason::OnRequest) => "on_request",
            UnloadedReason::Skipped(SkipReason::Manual) => "manual",
            _ => "not",
        };
        files.entry(unloaded.path).or_default().push(State {
            agent,
            state,
            detail: unloaded.reason.to_string(),
            bytes: None,
            text: None,
        });
    }
    Ok(())
}

/// Adds the agents that did not meet a file, and keeps the order of the agents.
fn complete(states: &mut Vec<State>) {
    let states_by_agent = Profile::ALL.map(|profile| {
        let agent = profile.as_str();
        let known = states.iter().find(|it| it.agent == agent).cloned();
        known.unwrap_or(State {
            agent,
            state: "not",
            detail: String::new(),
            bytes: None,
            text: None,
        })
    });
    *states = states_by_agent.into();
}

fn json(files: &Files) -> anyhow::Result<String> {
    let agents = Profile::ALL.map(|profile| Agent {
        name: profile.as_str(),
        agent: profile.agent(),
        destination: profile.destination(),
        unknown: profile.unknown(),
    });
    let files = files.iter().map(|(path, states)| File {
        path: path.to_string_lossy().into_owned(),
        states,
    });
    let document = Document {
        agents: agents.into(),
        files: files.collect(),
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn table(files: &Files, cwd: &Path, paint: Paint) -> String {
    let shown = |path: &Path| {
        let short = path.strip_prefix(cwd).unwrap_or(path);
        one_line(&short.to_string_lossy()).into_owned()
    };
    let is_read = |states: &[State]| states.iter().any(|it| it.state != "not");
    let (rows, left_out): (Vec<_>, Vec<_>) = files.iter().partition(|it| is_read(it.1));
    let width = rows
        .iter()
        .map(|(path, _)| shown(path).chars().count())
        .max()
        .unwrap_or(0)
        .max(4);
    let mut out = String::new();
    // Names of agents are longer than the cells below them: they are numbered.
    for (number, profile) in (1..).zip(Profile::ALL) {
        let destination = profile.destination().unwrap_or("not known");
        let (name, agent) = (profile.as_str(), profile.agent());
        let line = format!("{number:>2} {name}: {agent}; sent in: {destination}");
        out.push_str(&(line + "\n"));
    }
    let numbers: String = (1..=Profile::ALL.len())
        .map(|number| format!(" {number:>2}"))
        .collect();
    let heading = format!("{:<width$}{numbers}", "file");
    out.push('\n');
    out.push_str(&paint.text(Tone::Strong, &heading));
    out.push('\n');
    for (path, states) in rows {
        let cells: String = states.iter().map(|it| format!("  {}", mark(it))).collect();
        out.push_str(&format!("{:<width$}{cells}\n", shown(path)));
    }
    out.push_str(
        "\nL loaded at the start, t when a path is touched, r when the agent asks for it,\n",
    );
    out.push_str("m when the user names it, . not. aside memory --as AGENT gives the reasons.\n");
    if !left_out.is_empty() {
        let lines = left_out
            .iter()
            .map(|(path, _)| format!("  {}\n", shown(path)));
        out.push_str(&format!(
            "\nLoaded by none of them:\n{}",
            lines.collect::<String>()
        ));
    }
    out.push_str(&differences(files, &shown));
    out.push_str(&unknown());
    out
}

fn mark(state: &State) -> char {
    match state.state {
        "loaded" => 'L',
        "on_touch" => 't',
        "on_request" => 'r',
        "manual" => 'm',
        _ => '.',
    }
}

/// Returns the files with texts that differ between the agents that load them.
fn differences(files: &Files, shown: &dyn Fn(&Path) -> String) -> String {
    let mut out = String::new();
    for (path, states) in files {
        let mut texts: Vec<(&str, Vec<&str>)> = Vec::new();
        for state in states {
            let Some(text) = &state.text else { continue };
            match texts.iter_mut().find(|(known, _)| known == text) {
                Some((_, agents)) => agents.push(state.agent),
                None => texts.push((text, vec![state.agent])),
            }
        }
        if texts.len() > 1 {
            let each: Vec<_> = texts
                .iter()
                .map(|(text, agents)| format!("{} bytes for {}", text.len(), agents.join(", ")))
                .collect();
            out.push_str(&format!("  {}: {}\n", shown(path), each.join("; ")));
        }
    }
    match out.is_empty() {
        true => out,
        false => format!("\nTexts that differ:\n{out}"),
    }
}

fn unknown() -> String {
    let known_little = Profile::ALL
        .into_iter()
        .filter(|it| !it.unknown().is_empty());
    let lines = known_little.map(|it| format!("  {}: {}\n", it.as_str(), it.unknown().join("; ")));
    format!("\nNot known:\n{}", lines.collect::<String>())
}
