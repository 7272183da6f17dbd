//! `aside memory --as all`: each instruction file's state for each coding
//! agent.
//!
//! This loads the directory's files once for every `aside-claudemd` profile,
//! and merges the results by path. Each file gets a state for every agent, even
//! when the agent does not know the file.
//!
//! ```text
//!  1 claude: Claude Code, AGENTS.md per directory; sent in: first user message
//!  2 codex: Codex; sent in: first user message
//!
//! file           1  2
//! AGENTS.md      .  L
//! web/CLAUDE.md  t  .
//! ```
//!
//! The text ends with files that no agent loads, files whose texts differ
//! between agents, and what is unknown about an agent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aside_claudemd::{Profile, SkipReason, UnloadedReason};
use aside_session::SessionConfig;
use aside_text::one_line;
use serde::Serialize;

use super::load;
use crate::Failure;
use crate::arguments::Memory;
use crate::output;
use crate::paint::Paint;
use crate::table::{Align, Column, Table};

/// What an agent does with a file.
#[derive(Clone, Debug, Default, Serialize)]
struct State {
    /// The profile's name, such as `codex`.
    agent: &'static str,
    /// `loaded` at the start or by `--touch`, `on_touch` when a file is read, `on_request` when
    /// the agent asks for it, `manual` when the user names it, or `not`.
    state: &'static str,
    /// The reason as a phrase; empty when the agent does not look for such a
    /// file.
    detail: String,
    /// How many bytes the model gets; `null` unless it is loaded.
    bytes: Option<usize>,
    /// This text, to compare between agents.
    #[serde(skip)]
    text: Option<String>,
}

/// The object that `--json` prints.
#[derive(Serialize)]
struct Document<'a> {
    /// Profiles, in column order.
    agents: Vec<Agent>,
    /// All files that an agent loads or leaves out, by path.
    files: Vec<File<'a>>,
}

/// A coding agent whose rules are known.
#[derive(Serialize)]
struct Agent {
    /// The profile's name, as you pass it to `--as`.
    name: &'static str,
    /// The program's name, with its versions.
    agent: &'static str,
    /// Where in the request the files go; `null` when unknown.
    destination: Option<&'static str>,
    /// Which of its rules are unknown.
    unknown: &'static [&'static str],
}

#[derive(Serialize)]
struct File<'a> {
    /// The absolute path; bytes that are not UTF-8 are replaced.
    path: String,
    /// One state per profile, in `agents` order.
    states: &'a [State],
}

/// Each file's states, sorted by path.
type Files = BTreeMap<PathBuf, Vec<State>>;

/// Prints the table or the JSON. Loads files once per profile, from the same
/// directory and settings.
pub(super) fn run(
    config: &SessionConfig,
    arguments: &Memory,
    touch: &[&PathBuf],
    paint: Paint,
) -> Result<(), Failure> {
    let mut files = Files::new();
    for profile in Profile::ALL {
        collect(&mut files, config, touch, profile)?;
    }
    for states in files.values_mut() {
        complete(states);
    }
    if arguments.json {
        output::json(&document(&files))?;
    } else {
        output::text(&table(&files, &config.cwd, paint))?;
    }
    Ok(())
}

/// Adds an agent's state for each file: those that it loads at the start or by
/// `--touch`, and those that it leaves out.
fn collect(
    files: &mut Files,
    config: &SessionConfig,
    touch: &[&PathBuf],
    profile: Profile,
) -> Result<(), Failure> {
    let agent = profile.as_str();
    let mut memory = load(config.memory.clone().profile(profile), &config.cwd)?;
    let mut loaded = memory.files().to_vec();
    for path in touch {
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
            text: Some(file.text.to_string()),
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
            ..State::default()
        });
    }
    Ok(())
}

/// Adds agents without a state for a file, and sorts the states in profile
/// order. When an agent has two states, the first one stays.
fn complete(states: &mut Vec<State>) {
    let states_by_agent = Profile::ALL.map(|profile| {
        let agent = profile.as_str();
        let known = states.iter().find(|it| it.agent == agent).cloned();
        known.unwrap_or(State { agent, state: "not", ..State::default() })
    });
    *states = states_by_agent.into();
}

fn document(files: &Files) -> Document<'_> {
    let agents = Profile::ALL.map(|profile| Agent {
        name: profile.as_str(),
        agent: profile.agent(),
        destination: profile.destination(),
        unknown: profile.unknown(),
    });
    let files = files
        .iter()
        .map(|(path, states)| File { path: path.to_string_lossy().into_owned(), states });
    Document { agents: agents.into(), files: files.collect() }
}

/// Returns the text output. Paths below the working directory are relative to
/// it.
///
/// Files that no agent reads have no row: they are listed below the table.
fn table(files: &Files, cwd: &Path, paint: Paint) -> String {
    let shown = |path: &Path| {
        let short = path.strip_prefix(cwd).unwrap_or(path);
        one_line(&short.to_string_lossy()).into_owned()
    };
    let is_read = |states: &[State]| states.iter().any(|it| it.state != "not");
    let (rows, left_out): (Vec<_>, Vec<_>) = files.iter().partition(|it| is_read(it.1));
    let mut out = String::new();
    // Agent names are longer than the cells below them, so number them.
    for (number, profile) in (1..).zip(Profile::ALL) {
        let destination = profile.destination().unwrap_or("not known");
        let (name, agent) = (profile.as_str(), profile.agent());
        let line = format!("{number:>2} {name}: {agent}; sent in: {destination}");
        out.push_str(&(line + "\n"));
    }
    let numbers = (1..=Profile::ALL.len())
        .map(|number| Column { heading: number.to_string().into(), align: Align::Right });
    let columns: Vec<Column> = [Column::left("file")].into_iter().chain(numbers).collect();
    let mut table = Table::new(columns);
    for (path, states) in rows {
        let marks = states.iter().map(|state| mark(state).to_string());
        table.row([shown(path)].into_iter().chain(marks).collect(), None);
    }
    out.push('\n');
    out.push_str(&table.render(paint));
    out.push_str(
        "\nL loaded at the start or by --touch, t when a path is touched, r when the agent\n",
    );
    out.push_str("asks for it, m when the user names it, . not.\naside memory --as AGENT gives the reasons.\n");
    if !left_out.is_empty() {
        let lines = left_out.iter().map(|(path, _)| format!("  {}\n", shown(path)));
        out.push_str(&format!("\nLoaded by none of them:\n{}", lines.collect::<String>()));
    }
    out.push_str(&differences(files, &shown));
    out.push_str(&unknown());
    out
}

/// Returns the letter to show for a state in the table.
fn mark(state: &State) -> char {
    match state.state {
        "loaded" => 'L',
        "on_touch" => 't',
        "on_request" => 'r',
        "manual" => 'm',
        _ => '.',
    }
}

/// Returns files whose texts differ between the agents that load them.
///
/// Agents with the same text are named together:
/// `CLAUDE.md: 812 bytes for claude; 840 bytes for codex`. Empty when no text
/// differs.
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
    if out.is_empty() { out } else { format!("\nTexts that differ:\n{out}") }
}

/// Returns what is unknown about the agents, whatever files there are.
fn unknown() -> String {
    let known_little = Profile::ALL.into_iter().filter(|it| !it.unknown().is_empty());
    let lines = known_little.map(|it| format!("  {}: {}\n", it.as_str(), it.unknown().join("; ")));
    format!("\nNot known:\n{}", lines.collect::<String>())
}
