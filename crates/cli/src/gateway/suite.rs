//! `aside serve --suite`: takes an agent through situations, and prints a score
//! card.
//!
//! Each situation has its own server and directory, removed when the command
//! ends. The command gets the server's base URL variables and works in this
//! directory. Its output is read only to find the last line when it fails.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{self, Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use aside_gateway::serve::{ServeOptions, Server};
use aside_gateway::suite::{
    Run, Score, ScoreOutcome, SessionKind, Situation, SituationFile, Watch,
};
use quick_junit::{TestCase, TestCaseStatus};
use serde::Serialize;
use tempfile::TempDir;
use tokio::process::Command;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::Failure;
use crate::arguments::Serve;
use crate::junit::{report, status, write};
use crate::paint::{Paint, Tone};
use crate::{input, interrupt, output};

/// Replaced by the prompt in the command.
const PROMPT: &str = "{prompt}";
/// Replaced by the arguments to select a session.
const SESSION: &str = "{session}";
/// Replaced by the session id, within these arguments.
const ID: &str = "{id}";

#[derive(Serialize)]
struct ScoreCard<'a> {
    scores: &'a [Score],
}

/// Takes the command through the situations; by default, all built-in ones.
///
/// # Errors
/// Fails with exit code 1 when there is a finding, or when the agent went
/// through no situation. An unknown situation is a usage error.
pub(super) fn run(arguments: &Serve, names: &[String]) -> Result<(), Failure> {
    let builtin = || Situation::names().map(str::to_owned).collect();
    let names = if names.is_empty() { builtin() } else { names.to_vec() };
    let situations: Vec<_> = names.iter().map(|name| text(name)).collect::<Result<_, _>>()?;
    let scores = interrupt::serve(async {
        let mut scores = Vec::new();
        for (name, text) in &situations {
            let score = tokio::select! {
                score = play(arguments, name, text) => score?,
                () = interrupt::terminated() => bail!("ended by a signal"),
            };
            if !arguments.json {
                output::lines(&painted(&score))?;
            }
            scores.push(score);
        }
        Ok(scores)
    })??;
    if arguments.json {
        output::compact_json(&ScoreCard { scores: &scores })?;
    }
    if let Some(path) = &arguments.junit {
        write(path, &report("aside serve --suite", scores.iter().map(case)))?;
    }
    let count = |outcome| scores.iter().filter(|score| score.outcome == outcome).count();
    let (clean, bad) = (count(ScoreOutcome::Clean), count(ScoreOutcome::Findings));
    let card = format!(
        "{clean} clean, {bad} with findings, {} not reached, {} skipped",
        count(ScoreOutcome::NotReached),
        count(ScoreOutcome::Skipped)
    );
    if bad > 0 || clean == 0 {
        return Err(anyhow!(card).into());
    }
    output::progress("suite", &card);
    Ok(())
}

/// Returns a situation's name and text: built-in, or from a file.
fn text(name: &str) -> Result<(String, String), Failure> {
    if let Some(text) = Situation::builtin(name) {
        return Ok((name.to_owned(), text.to_owned()));
    }
    if !Path::new(name).is_file() {
        let names: Vec<_> = Situation::names().collect();
        let names = names.join(", ");
        let detail = anyhow!("{name:?} is no file and no situation; these are built in: {names}");
        return Err(Failure::usage(detail));
    }
    Ok((name.to_owned(), input::text(Path::new(name), input::MAX_BODY_BYTES)?))
}

fn painted(score: &Score) -> String {
    let is_bad = score.outcome == ScoreOutcome::Findings;
    let paint = if is_bad { Paint::of_stdout() } else { Paint::Plain };
    shown(score).lines().map(|line| paint.text(Tone::Fault, line) + "\n").collect()
}

/// Returns a score to show on a terminal: request texts may have escapes.
fn shown(score: &Score) -> String {
    let text = score.to_string();
    let lines = text.lines().map(|line| aside_text::one_line(line).into_owned());
    lines.collect::<Vec<_>>().join("\n")
}

fn case(score: &Score) -> TestCase {
    let text = shown(score);
    let (head, findings) = text.split_once('\n').unwrap_or((&text, ""));
    let status = match score.outcome {
        ScoreOutcome::Clean => TestCaseStatus::success(),
        ScoreOutcome::Findings => status(Some(findings)),
        _ => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(head);
            status
        }
    };
    TestCase::new(score.situation.clone(), status)
}

/// A situation's directory, removed when this is dropped.
struct Place {
    _directory: TempDir,
    /// Without links, the way an agent names its files.
    path: PathBuf,
}

impl Place {
    /// Creates an empty directory that other users cannot read.
    fn new() -> anyhow::Result<Self> {
        let created = tempfile::Builder::new().prefix("aside-suite-").tempdir();
        let directory = created.context("failed to create a directory")?;
        let path = directory.path().canonicalize()?;
        Ok(Self { _directory: directory, path })
    }

    fn write(&self, files: &[SituationFile]) -> anyhow::Result<()> {
        for file in files {
            let path = self.path.join(&file.path);
            let written = match path.parent() {
                Some(parent) => fs::create_dir_all(parent),
                None => Ok(()),
            };
            let written = written.and_then(|()| fs::write(&path, file.content()));
            written.with_context(|| format!("failed to write {}", path.display()))?;
        }
        Ok(())
    }
}

async fn play(arguments: &Serve, name: &str, text: &str) -> anyhow::Result<Score> {
    let process = format!("{} {name}", std::process::id());
    let id = Uuid::new_v5(&Uuid::NAMESPACE_OID, process.as_bytes());
    let place = Arc::new(Place::new()?);
    let situation = Situation::parse(name, text, &place.path.to_string_lossy())?;
    for (kind, option, given) in [
        (SessionKind::Resume, "--resume", &arguments.resume),
        (SessionKind::Fork, "--fork", &arguments.fork),
    ] {
        if given.is_none() && situation.runs.iter().any(|run| run.session == kind) {
            let reason = format!("for agents with {option}");
            return Ok(Score::skipped(name, &reason));
        }
    }
    place.write(&situation.files)?;
    let mut options = ServeOptions::default();
    options.listen = arguments.listen;
    options.script = Some(situation.script.clone());
    let bound = Server::bind(options).await;
    let mut server = bound.map_err(|error| anyhow!("failed to {error}"))?;
    let watch = Arc::new(Mutex::new(Watch::new(&situation)));
    let (seen, changes, files) = (watch.clone(), situation.changes.clone(), place.clone());
    let observe = move |observed: &aside_gateway::serve::Observed<'_>| {
        for change in changes.iter().filter(|it| it.after == observed.answer) {
            if let Err(error) = files.write(&change.files) {
                output::progress("suite", &format!("{error:#}"));
            }
        }
        if let Ok(mut watch) = seen.lock() {
            watch.observe(observed);
        }
    };
    server.observe(observe).await;
    let address = server.address();
    let (ended, stop) = oneshot::channel::<()>();
    let serve = server.play(async {
        let _ = stop.await;
    });
    let calls = async {
        let mut failed = Vec::new();
        for (number, run) in (1..).zip(&situation.runs) {
            let mut command = command(arguments, run, &id.to_string())?;
            command.current_dir(&place.path).envs([
                ("ANTHROPIC_BASE_URL", format!("http://{address}")),
                ("OPENAI_BASE_URL", format!("http://{address}/v1")),
                ("GOOGLE_GEMINI_BASE_URL", format!("http://{address}")),
                ("GEMINI_BASE_URL", format!("http://{address}")),
            ]);
            let limit = Duration::from_secs(arguments.timeout);
            if let Some(text) = call(command, limit).await? {
                failed.push(format!("call {number} of the command: {text}"));
            }
        }
        let _ = ended.send(());
        anyhow::Ok(failed)
    };
    let (served, failed) = tokio::join!(serve, calls);
    let (report, unused) = served.context("failed to serve")?;
    // The server is gone, and its observer with it.
    let watch = Arc::into_inner(watch).and_then(|watch| watch.into_inner().ok());
    let watch = watch.context("the observer failed")?;
    Ok(watch.score(&report, &unused, failed?))
}

/// Returns a run's command, with placeholders replaced. When it has none, the
/// session arguments and the prompt come last.
///
/// It runs in another directory, so a program such as `./agent` becomes absolute.
///
/// # Errors
/// There is no current directory.
fn command(arguments: &Serve, run: &Run, id: &str) -> anyhow::Result<Command> {
    let session = match run.session {
        SessionKind::New => &arguments.new,
        SessionKind::Resume => &arguments.resume,
        SessionKind::Fork => &arguments.fork,
    };
    let session = session.as_deref().unwrap_or_default();
    let session: Vec<_> = session.split_whitespace().map(|it| it.replace(ID, id)).collect();
    let is = |argument: &OsString, placeholder: &str| argument == OsStr::new(placeholder);
    let mut words = arguments.command.clone();
    if !words.iter().any(|it| is(it, PROMPT)) {
        words.push(PROMPT.into());
    }
    if !words.iter().any(|it| is(it, SESSION)) {
        let at = words.iter().position(|it| is(it, PROMPT));
        words.insert(at.unwrap_or_default(), SESSION.into());
    }
    let words = words.iter().flat_map(|word| match word {
        word if is(word, SESSION) => session.iter().map(OsString::from).collect(),
        word if is(word, PROMPT) => vec![OsString::from(&run.prompt)],
        word => vec![word.clone()],
    });
    let mut words = words.collect::<Vec<_>>().into_iter();
    let mut program = PathBuf::from(words.next().unwrap_or_default());
    if program.components().nth(1).is_some() {
        program = path::absolute(program)?;
    }
    let mut command = Command::new(program);
    command.args(words).kill_on_drop(true);
    command.envs(run.time_zone.iter().map(|zone| ("TZ", zone)));
    Ok(command)
}

/// Runs the command to its end, and returns why it failed.
///
/// # Errors
/// Fails when the command cannot be started.
async fn call(mut command: Command, limit: Duration) -> anyhow::Result<Option<String>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let program = command.as_std().get_program().to_owned();
    let output = match tokio::time::timeout(limit, command.output()).await {
        Ok(output) => output.with_context(|| format!("failed to run {}", program.display()))?,
        Err(_) => return Ok(Some(format!("it did not end within {} s", limit.as_secs()))),
    };
    if output.status.success() {
        return Ok(None);
    }
    let last = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned)
    };
    let line = last(&output.stderr).or_else(|| last(&output.stdout)).unwrap_or_default();
    Ok(Some(format!("it ended with {}: {line}", output.status)))
}
