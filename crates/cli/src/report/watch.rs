//! `aside report --watch`: one line per request in the newest session.
//!
//! This reads the session again when it grows, and [`FollowedRows`] decides which
//! requests are complete.

mod followed;

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice;
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use aside_inspect::rows::{Row, RowBuilder};
use aside_inspect::{money, thousands};
use aside_request_logs::{Agent, Format};
use aside_user_files::open::list_inputs;

use self::followed::{FollowedFaults, FollowedRows, REST, Request};
use super::Filter;
use super::home::Home;
use crate::arguments::Report;
use crate::logs::{self, Logs};
use crate::{Failure, output};

/// How long to wait between two readings.
const PAUSE: Duration = Duration::from_millis(500);

/// The name of the directory for logs of sub-agents, next to a log of Claude Code.
const SUB_AGENTS: &str = "subagents";

/// Follows the newest session until a signal ends the program.
///
/// # Errors
/// Fails when there is no session that the arguments leave, or when one cannot
/// be read.
pub(super) fn run(arguments: &Report, home: &Home) -> Result<(), Failure> {
    let filter = Filter::new(arguments, home);
    let (paths, format) = if arguments.log.is_empty() {
        (home.directories(arguments.agent), Some(Format::Transcript))
    } else {
        (arguments.log.iter().map(|it| (None, it.clone())).collect(), arguments.format)
    };
    let read = |session: &Session| read(session, format, home);
    // Without a filter, also one that has no request yet.
    let is_any = filter.project.is_none() && (filter.agent.is_none() || arguments.log.is_empty());
    let mut found = None;
    for session in newest_first(&paths) {
        let reading = if is_any { Reading::default() } else { read(&session) };
        if is_any || reading.rows.iter().any(|it| filter.has_session(it)) {
            found = Some(session);
            break;
        }
        reading.faults.into_iter().for_each(logs::report);
        match reading.failure {
            Some(failure) if !arguments.log.is_empty() => return Err(failure),
            failure => failure.into_iter().for_each(|it| logs::report(it.diagnostic().message)),
        }
    }
    let session = found.ok_or_else(|| anyhow!("no session found"))?;
    output::progress("watching", &session.path.display().to_string());
    let (mut rows, mut faults) = (FollowedRows::default(), FollowedFaults::default());
    let (mut reading, mut length) = (Reading::default(), None);
    let mut passed = session.age();
    let mut rest = passed;
    loop {
        let now = Some(session.length());
        if now != length {
            rest = if length.is_some() { Duration::ZERO } else { rest };
            length = now;
            reading = read(&session);
            reading.rows.retain(|it| filter.is_wanted(it));
        }
        faults.update(&reading.faults, passed).into_iter().for_each(logs::report);
        // Until then, its first line may be half written.
        if let Some(failure) = reading.failure.take_if(|_| rest >= REST) {
            return Err(failure);
        }
        let requests = reading.rows.iter().map(|it| Request::new(it, line(it)));
        for line in rows.update(requests.collect(), passed) {
            output::lines(&format!("{line}\n"))?;
        }
        thread::sleep(PAUSE);
        passed = PAUSE;
        rest += PAUSE;
    }
}

/// Returns the sessions, the one that was written last first. A session of opencode is a directory
/// with a file for each message.
fn newest_first(paths: &[(Option<Agent>, PathBuf)]) -> Vec<Session> {
    let mut sessions = Vec::new();
    for (agent, path) in paths {
        let is_opencode = *agent == Some(Agent::OpenCode);
        let end = if is_opencode { "json" } else { "jsonl" };
        let is_log = |it: &Path| it.extension().is_some_and(|it| it == end);
        for file in list_inputs(slice::from_ref(path), is_log).files {
            let time = fs::metadata(&file).and_then(|it| it.modified()).ok();
            let session = match file.parent() {
                Some(directory) if is_opencode => Session::alone(directory.to_owned()),
                // A file that you name is the only one to read.
                _ if path.is_dir() => Session::with_sub_agents(path, file),
                _ => Session::alone(file),
            };
            sessions.push((time, session));
        }
    }
    sessions.sort_by_key(|it| Reverse(it.0));
    let mut seen = HashSet::new();
    let sessions = sessions.into_iter().map(|it| it.1);
    sessions.filter(|it| seen.insert(it.clone())).collect()
}

/// Where a session is stored.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Session {
    /// A log, or a directory of files that are one session.
    path: PathBuf,
    /// The directory for logs of its sub-agents, which may not exist.
    sub_agents: Option<PathBuf>,
}

impl Session {
    fn alone(path: PathBuf) -> Self {
        Self { path, sub_agents: None }
    }

    /// Returns the session of a log in a directory that was named. Claude Code writes
    /// `SESSION.jsonl`, and `SESSION/subagents/AGENT.jsonl` for each sub-agent.
    fn with_sub_agents(named: &Path, file: PathBuf) -> Self {
        // Nothing is read outside of the named directory, whatever is above it.
        let below = file.strip_prefix(named).unwrap_or(&file);
        let sub_agents = below.ancestors().find(|it| it.ends_with(SUB_AGENTS));
        let directory = match sub_agents.and_then(Path::parent) {
            // The session's own log is next to the named directory.
            Some(session) if session.as_os_str().is_empty() => return Self::alone(file),
            Some(session) => named.join(session),
            None => file.with_extension(""),
        };
        let mut path = directory.clone().into_os_string();
        path.push(".jsonl");
        Self { path: path.into(), sub_agents: Some(directory.join(SUB_AGENTS)) }
    }

    /// Returns the logs that exist now.
    fn logs(&self) -> Vec<PathBuf> {
        let is_log = |it: &Path| it.extension().is_some_and(|it| it == "jsonl");
        let directory = self.sub_agents.iter().filter(|it| it.is_dir());
        let sub_agents = directory.flat_map(|it| list_inputs(slice::from_ref(it), is_log).files);
        let mut logs: Vec<PathBuf> = sub_agents.collect();
        // A sub-agent's log may be all that is left.
        if self.path.exists() || logs.is_empty() {
            logs.insert(0, self.path.clone());
        }
        logs
    }

    /// Returns how long its files are together, and how many there are.
    fn length(&self) -> (usize, u64) {
        let files = list_inputs(&self.logs(), |_| true).files;
        (files.len(), files.iter().filter_map(|it| fs::metadata(it).ok()).map(|it| it.len()).sum())
    }

    /// Returns for how long nothing was written to its files.
    fn age(&self) -> Duration {
        let files = list_inputs(&self.logs(), |_| true).files;
        let times =
            files.iter().filter_map(|it| fs::metadata(it).and_then(|it| it.modified()).ok());
        times.max().and_then(|it| it.elapsed().ok()).unwrap_or_default()
    }
}

/// What a session has so far.
#[derive(Default)]
struct Reading {
    rows: Vec<Row>,
    faults: Vec<String>,
    /// Why it has no request.
    failure: Option<Failure>,
}

fn read(session: &Session, format: Option<Format>, home: &Home) -> Reading {
    let paths = session.logs();
    let is_merged = paths.len() > 1;
    let logs = Logs { may_be_empty: true, paths, format, ..Logs::default() };
    let (mut builder, mut rows, mut faults) = (RowBuilder::default(), Vec::new(), Vec::new());
    let each = &mut |item| {
        let mut row = builder.row(item);
        row.iter_mut().for_each(|it| home.shorten(&mut it.project));
        rows.extend(row);
        Ok(())
    };
    let failure = logs.each_and_faults(each, &mut |fault| faults.push(fault)).err();
    if is_merged {
        rows.sort_by_key(|it: &Row| it.at);
    }
    Reading { rows, faults, failure }
}

/// Returns a request's line, such as
/// `06:29:05  claude-opus-5-5  9,000 read, …`.
fn line(row: &Row) -> String {
    let time = row.time().unwrap_or_default();
    let time = time.get(11..19).unwrap_or("-").to_owned();
    let model = row.model.as_deref().unwrap_or("-");
    if row.is_failed() {
        let status = row.status.map_or_else(String::new, |it| format!(" {it}"));
        let error = row.error.as_deref().unwrap_or_default();
        return format!("{time}  failed{status} {error}");
    }
    let usage = &row.usage;
    let mut line = format!(
        "{time}  {model}  {} read, {} written, {} plain, {} output  {}",
        thousands(usage.read),
        thousands(usage.written()),
        thousands(usage.uncached),
        thousands(usage.output),
        money(row.cost)
    );
    if let Some(cause) = &row.cause {
        line += &format!("  {}", cause.name);
        if row.lost_tokens > 0 {
            line += &format!(", {} lost", money(row.lost_cost));
        }
    }
    line
}
