//! Where agents keep their sessions. They are read, and never written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aside_host::Host;
use aside_inspect::rows::Row;
use aside_request_logs::{Agent, Format};
use serde::Serialize;

use crate::arguments::Report;
use crate::input;
use crate::logs::Logs;

/// The user's home, and directories that variables set instead.
pub(super) struct Home {
    /// `None` when the system does not say.
    path: Option<PathBuf>,
    /// Session directories that agents' variables name.
    moved: Vec<(Agent, PathBuf)>,
}

/// Variables that move a directory of an agent in the home (sources: the Claude Code and Codex
/// documentation).
const VARIABLES: [(Agent, &str, &str); 2] =
    [(Agent::ClaudeCode, "CLAUDE_CONFIG_DIR", ".claude"), (Agent::Codex, "CODEX_HOME", ".codex")];

/// A place that was read, with its counts.
#[derive(Debug, Default, Serialize)]
pub(super) struct Source {
    /// The path, relative to the home with `~`.
    pub(super) path: String,
    pub(super) agent: Option<&'static str>,
    pub(super) format: &'static str,
    pub(super) sessions: usize,
    pub(super) requests: usize,
    /// Sessions counted so far, by agent and name.
    #[serde(skip)]
    seen: BTreeSet<(Option<Agent>, Option<String>)>,
    #[serde(skip)]
    logs: Option<Logs>,
}

impl Home {
    pub(super) fn new(host: &Host) -> Self {
        let moved = VARIABLES.into_iter().flat_map(|(agent, variable, from)| {
            let to = host.environment.get(variable).map(Path::new);
            agent.places().iter().filter_map(move |it| {
                let below = Path::new(it).strip_prefix(from).ok()?;
                Some((agent, to?.join(below)))
            })
        });
        Self { path: host.variables.home.clone(), moved: moved.collect() }
    }

    /// Returns true if a variable says where an agent has its sessions.
    pub(super) fn is_moved(&self) -> bool {
        !self.moved.is_empty()
    }

    /// Returns the session directories that exist, and databases that are not
    /// read.
    pub(super) fn sources(&self, agent: Option<Agent>) -> Vec<Source> {
        let agents = Agent::ALL.into_iter();
        let agents = agents.filter(|it| agent.is_none() || agent == Some(*it));
        let mut sources: Vec<Source> = Vec::new();
        for (agent, path) in agents.flat_map(|it| self.places(it)) {
            if path.is_dir() {
                let logs = Logs {
                    may_be_empty: true,
                    paths: vec![path.clone()],
                    // Other kinds of files are next to the sessions.
                    format: Some(Format::Transcript),
                    ..Logs::default()
                };
                let format = Format::Transcript.as_str();
                sources.push(Source::new(self.name(&path), Some(agent), format, Some(logs)));
            } else if path.is_file() {
                sources.push(Source::new(self.name(&path), Some(agent), "database", None));
            }
        }
        sources
    }

    /// Returns the session directories that exist, with their agents.
    pub(super) fn directories(&self, agent: Option<Agent>) -> Vec<(Option<Agent>, PathBuf)> {
        let sources = self.sources(agent).into_iter();
        let directories = sources.filter_map(|it| Some((it.agent?.parse().ok(), it.logs?)));
        directories
            .flat_map(|(agent, it)| it.paths.into_iter().map(move |it| (agent, it)))
            .collect()
    }

    /// Returns true for a file that an agent keeps: a session or a database.
    pub(super) fn has(&self, file: &Path) -> bool {
        let places = Agent::ALL.into_iter().flat_map(|it| self.places(it));
        input::is_among(file, &places.map(|it| it.1).collect::<Vec<_>>())
    }

    fn places(&self, agent: Agent) -> Vec<(Agent, PathBuf)> {
        let moved = self.moved.iter().filter(|it| it.0 == agent).cloned();
        let home = self.path.iter();
        let own = home.flat_map(|home| {
            let places = agent.places().iter().copied().chain(agent.database());
            places.map(move |it| (agent, home.join(it)))
        });
        let mut all: Vec<_> = moved.collect();
        all.extend(own.filter(|it| !self.moved.contains(it)));
        all
    }

    /// Returns a path relative to the home.
    fn name(&self, path: &Path) -> String {
        let below = self.path.as_ref().and_then(|it| path.strip_prefix(it).ok());
        match below {
            Some(below) => Path::new("~").join(below).display().to_string(),
            None => path.display().to_string(),
        }
    }

    /// Shortens a project's directory to one relative to the home.
    pub(super) fn shorten(&self, project: &mut Option<String>) {
        if let Some(path) = project {
            *path = self.name(Path::new(path.as_str()));
        }
    }

    /// Returns the whole path of a directory that was shortened.
    pub(super) fn whole(&self, project: &str) -> Option<String> {
        let (below, home) = project.strip_prefix("~/").zip(self.path.as_ref())?;
        Some(home.join(below).display().to_string())
    }
}

impl Source {
    fn new(path: String, agent: Option<Agent>, format: &'static str, logs: Option<Logs>) -> Self {
        Self { path, agent: agent.map(Agent::as_str), format, logs, ..Self::default() }
    }

    /// Returns the logs that the arguments name, as one source.
    pub(super) fn of_arguments(arguments: &Report) -> Self {
        let logs =
            Logs { paths: arguments.log.clone(), format: arguments.format, ..Logs::default() };
        let names = arguments.log.iter().map(|it| it.display().to_string());
        let names: Vec<String> = names.collect();
        let format = arguments.format.map_or("detected", Format::as_str);
        Self::new(names.join(" "), arguments.agent, format, Some(logs))
    }

    /// Returns the logs; you can read them once.
    pub(super) fn logs(&mut self) -> Option<Logs> {
        self.logs.take()
    }

    pub(super) fn count(&mut self, row: &Row) {
        self.requests += 1;
        // The proxy records failed requests without a session.
        let is_of_session = row.session.is_some() || !row.is_failed();
        if is_of_session && self.seen.insert((row.agent, row.session.clone())) {
            self.sessions += 1;
        }
    }
}
