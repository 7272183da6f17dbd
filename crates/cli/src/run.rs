mod endpoint;
mod journal;
mod show;
mod store;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use aside_agent::{
    Client, Clock, Limit, Limits, Loop, Outcome, Replay, Session, SessionConfig, SessionTime,
    SessionTool, Tool, ToolOrigin,
};
use aside_host::{Host, project_dir};
use aside_messages::conversation::{Conversation, EntryDraft};
use aside_messages::lower::ModelName;
use aside_tools::{Glob, Grep, Read, TodoWrite, Workspace};
use aside_transcript::Transcript;
use aside_transport::HttpClient;
use uuid::Uuid;

use crate::Failure;
use crate::arguments::Run;
use crate::interrupt;
use crate::output;
use crate::request;
use crate::session;
use journal::{Progress, ToTranscript};
use show::Show;

/// More than any recording has.
const LONGEST_RECORDING: u64 = 64 * 1024 * 1024;

pub(crate) fn run(arguments: &Run) -> Result<(), Failure> {
    let host = Host::look();
    let (mut config, faults) = request::config(&host, &arguments.session, &arguments.request)?;
    let project = project_dir(&config.cwd);
    let directory = store::directory(host.variables.aside_dir(), &project)?;
    let past = Past::find(&directory, arguments.resume)?;
    let (client, http) = client(arguments, &host, past.id)?;
    let tools = tools(&config);
    config.tools = offered(&tools);
    config.lower.model = Some(ModelName {
        provider: client.provider().to_owned(),
        name: config.model.clone(),
    });
    past.progress.clone_into(&mut config);

    let time = Running {
        fixed: arguments.request.date.and(config.time.now.clone()),
        before: past.progress.elapsed,
        since: Instant::now(),
    };
    let reminders = config.reminders.clone();
    let opened = interrupt::block_on(Session::open(config))?;
    for fault in faults.iter().chain(opened.diagnostics()) {
        output::say("warning", &fault.to_string());
    }
    let id = past.id;
    output::say("session", &id.to_string());
    let written = past
        .conversation
        .as_ref()
        .map_or(0, |it| it.entries().len());
    let conversation = past.conversation.unwrap_or_else(|| opened.begin(id));
    let journal = ToTranscript {
        transcript: past.transcript,
        reminders,
    };
    let agent = Loop::new(opened, conversation, client)
        .with_tools(tools)
        .with_limits(Limits {
            turns: arguments.max_turns,
            ..Limits::default()
        })
        .with_clock(time)
        .with_journal(journal, written);
    let result = play(agent, arguments.prompt.as_deref());
    for loss in http.iter().flat_map(|http| http.take_losses()) {
        output::say("warning", &loss.to_string());
    }
    result
}

/// Runs to the end, and says how it ended.
fn play(agent: Loop, prompt: Option<&str>) -> Result<(), Failure> {
    let show = Show::new(agent.cancel_handle());
    let is_closed = show.is_closed();
    let mut agent = agent.with_observer(show);
    if let Some(prompt) = prompt {
        agent.say(EntryDraft::human(prompt))?;
    }
    let report = interrupt::block_on(agent.run())??;
    let why = match report.outcome {
        Outcome::Done => return Ok(()),
        // Whoever read it has read enough.
        Outcome::Cancelled if is_closed.load(Ordering::Relaxed) => return Ok(()),
        Outcome::Idle => "there is nothing to answer: say something".to_owned(),
        Outcome::MaxTokens => "the answer is longer than --max-tokens allows".to_owned(),
        Outcome::Refused => "the model refuses to answer".to_owned(),
        Outcome::ContextFull(None) => "the conversation is too long for the model".to_owned(),
        Outcome::ContextFull(Some(why)) => format!("the conversation is too long: {why}"),
        Outcome::Limit(Limit::Turns) => "--max-turns requests went out".to_owned(),
        Outcome::Limit(limit) => format!("a limit was reached: {limit:?}"),
        Outcome::Cancelled => "cancelled".to_owned(),
        Outcome::Stopped(reason) => format!("the answer stops: {reason}"),
        other => format!("{other:?}"),
    };
    Err(anyhow!(why).into())
}

/// What there was before.
struct Past {
    id: Uuid,
    transcript: Transcript,
    /// `None` in a new session.
    conversation: Option<Conversation>,
    progress: Progress,
}

impl Past {
    fn find(directory: &Path, resume: Option<Uuid>) -> anyhow::Result<Self> {
        let Some(id) = resume else {
            let (id, transcript) = store::create(directory)?;
            return Ok(Self {
                id,
                transcript,
                conversation: None,
                progress: Progress::default(),
            });
        };
        let (transcript, contents) = store::open(directory, id)?;
        let failed = || format!("failed to resume {id}");
        let progress = Progress::of(&contents.records).with_context(failed)?;
        let conversation = contents.conversation(id);
        let conversation = conversation
            .map_err(|entry| anyhow!("two entries have the id {entry}"))
            .with_context(failed)?;
        // A session that ended before anything was said begins anew.
        let conversation = Some(conversation).filter(|it| !it.entries().is_empty());
        Ok(Self {
            id,
            transcript,
            conversation,
            progress,
        })
    }
}

impl Progress {
    fn clone_into(&self, config: &mut SessionConfig) {
        config.turn = self.turn;
        config.time.elapsed = self.elapsed;
        config.reminders.restore(self.reminders.clone());
    }
}

/// The time in a session that is running.
#[derive(Debug)]
struct Running {
    /// The time that --date stands for.
    fixed: Option<String>,
    /// How long it had gone on before.
    before: Duration,
    since: Instant,
}

impl Clock for Running {
    fn now(&mut self) -> SessionTime {
        SessionTime {
            now: Some(self.fixed.clone().unwrap_or_else(aside_host::now)),
            elapsed: self.before + self.since.elapsed(),
        }
    }
}

/// Who answers, and the same once more where it is a provider.
type Answers = (Arc<dyn Client>, Option<Arc<HttpClient>>);

fn client(arguments: &Run, host: &Host, id: Uuid) -> Result<Answers, Failure> {
    if let Some(file) = &arguments.replay {
        let json = read(file).map_err(Failure::usage)?;
        let replay = Replay::parse(file.to_string_lossy(), &json)
            .context("failed to use the recording")
            .map_err(Failure::usage)?;
        return Ok((Arc::new(replay), None));
    }
    let environment = session::environment(&arguments.session, host)?;
    let chosen = arguments.request.provider.map(Into::into);
    let http = endpoint::client(chosen, &environment, id.to_string()).map_err(Failure::usage)?;
    let Some(http) = http.map(Arc::new) else {
        output::say(
            "note",
            "a recording answers: no key is set, nothing is sent",
        );
        return Ok((Arc::new(Replay::default()), None));
    };
    Ok((http.clone(), Some(http)))
}

fn read(file: &Path) -> anyhow::Result<String> {
    let failed = || format!("failed to read {}", file.display());
    let mut text = String::new();
    let opened = File::open(file).with_context(failed)?;
    let mut opened = opened.take(LONGEST_RECORDING + 1);
    opened.read_to_string(&mut text).with_context(failed)?;
    if text.len() as u64 > LONGEST_RECORDING {
        return Err(anyhow!("more than 64 MiB").context(failed()));
    }
    Ok(text)
}

fn tools(config: &SessionConfig) -> Vec<Arc<dyn Tool>> {
    let additional = config.additional_directories.iter();
    let workspace = Arc::new(Workspace::new(&config.cwd, additional));
    vec![
        Arc::new(Glob::new(workspace.clone())),
        Arc::new(Grep::new(workspace.clone())),
        Arc::new(Read::new(workspace)),
        Arc::new(TodoWrite::default()),
    ]
}

fn offered(tools: &[Arc<dyn Tool>]) -> Vec<SessionTool> {
    let tools = tools.iter().map(|tool| SessionTool {
        origin: ToolOrigin::Builtin,
        tool: tool.definition(),
    });
    tools.collect()
}
