mod endpoint;
mod journal;
mod next;
mod past;
mod play;
mod show;
mod steer;
mod store;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use aside_agent::{
    Client, Clock, Limits, Loop, Past, Replay, Session, SessionConfig, SessionTime, SessionTool,
    Tool, ToolOrigin,
};
use aside_host::{Host, project_dir};
use aside_messages::conversation::Conversation;
use aside_messages::lower::ModelName;
use aside_providers::Loss;
use aside_tools::{Glob, Grep, Read, TodoWrite, Workspace};
use aside_transcript::Transcript;
use uuid::Uuid;

use crate::Failure;
use crate::arguments::Run;
use crate::asked::Asked;
use crate::input::{self, MIB};
use crate::interrupt;
use crate::output;
use crate::request;
use journal::ToTranscript;
pub(crate) use next::next_request;
use play::play;
use steer::Steering;

/// More than any recording has.
const LONGEST_RECORDING: u64 = 64 * MIB;

pub(crate) fn run(arguments: &Run) -> Result<(), Failure> {
    let host = Host::look();
    let (session, request) = (&arguments.session, &arguments.request);
    let asked = Asked::of(&host, session, request)?;
    let (mut config, faults) = request::config(&host, session, request, &asked)?;
    let directory = store::directory(host.variables.aside_dir(), &project_dir(&config.cwd))?;
    let id = arguments
        .resume
        .unwrap_or_else(|| store::new_id(&directory));
    // Before anything is written: whoever cannot be asked leaves no session.
    let client = client(arguments, &asked, id)?;
    let (transcript, past) = match arguments.resume {
        Some(id) => go_on(&directory, id)?,
        None => (store::create(&directory, id)?, None),
    };
    let additional = config.additional_directories.iter();
    let workspace = Arc::new(Workspace::new(&config.cwd, additional));
    let todos = todos(past.as_ref().map(|(_, said)| said), &config);
    let tools = tools(&workspace, todos);
    config.tools = offered(&tools);
    config.lower.model = Some(ModelName {
        provider: client.provider().to_owned(),
        name: config.model.clone(),
    });

    let fixed = arguments.request.date.and(config.time.now.clone());
    let (session, conversation, written) = begin(config, id, past)?;
    for fault in faults.iter().chain(session.diagnostics()) {
        output::say("warning", &fault.to_string());
    }
    output::say("session", &id.to_string());
    let time = Running::new(fixed, &session);
    let agent = Loop::new(session, conversation, client)
        .with_tools(tools)
        .with_files(workspace)
        .with_limits(Limits {
            turns: arguments.max_turns,
            ..Limits::default()
        })
        .with_clock(time)
        .with_journal(ToTranscript(transcript), written);
    let steering = arguments.steer.then(|| Steering::new(agent.inbox()));
    play(agent, arguments.prompt.as_deref(), steering)
}

/// Opens a session, or takes one up again; and how many entries of its
/// conversation are written down.
fn begin(
    config: SessionConfig,
    id: Uuid,
    past: Option<(Past, Conversation)>,
) -> Result<(Session, Conversation, usize), Failure> {
    let Some((past, mut conversation)) = past else {
        let session = interrupt::block_on(Session::open(config))?;
        let conversation = session.begin(id);
        return Ok((session, conversation, 0));
    };
    let written = conversation.entries().len();
    let session = Session::resume(config, past, &mut conversation);
    Ok((session, conversation, written))
}

/// Where a session is written down, and what was before.
type Written = (Transcript, Option<(Past, Conversation)>);

/// Takes a transcript up again.
fn go_on(directory: &Path, id: Uuid) -> anyhow::Result<Written> {
    let (transcript, contents) = store::open(directory, id)?;
    let past = past::read(&contents, id);
    let past = past.with_context(|| format!("failed to resume {id}"))?;
    Ok((transcript, past))
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

impl Running {
    fn new(fixed: Option<String>, session: &Session) -> Self {
        Self {
            fixed,
            before: session.elapsed(),
            since: Instant::now(),
        }
    }
}

impl Clock for Running {
    fn now(&mut self) -> SessionTime {
        SessionTime {
            now: Some(self.fixed.clone().unwrap_or_else(aside_host::now)),
            elapsed: self.before + self.since.elapsed(),
        }
    }
}

/// Who answers.
fn client(arguments: &Run, asked: &Asked, id: Uuid) -> Result<Arc<dyn Client>, Failure> {
    if let Some(file) = &arguments.replay {
        let json = input::text(file, LONGEST_RECORDING).map_err(Failure::usage)?;
        let replay = Replay::parse(file.to_string_lossy(), &json)
            .context("failed to use the recording")
            .map_err(Failure::usage)?;
        return Ok(Arc::new(replay));
    }
    let http = endpoint::client(asked, id.to_string()).map_err(Failure::usage)?;
    let Some(http) = http else {
        output::say(
            "note",
            "a recording answers: no key is set, nothing is sent",
        );
        return Ok(Arc::new(Replay::default()));
    };
    let told = |loss: &Loss| output::say("warning", &loss.to_string());
    Ok(Arc::new(http.telling_losses(told)))
}

/// The list of a session that goes on, else the one that is given.
fn todos(said: Option<&Conversation>, config: &SessionConfig) -> TodoWrite {
    let written = said.and_then(TodoWrite::of);
    written.unwrap_or_else(|| TodoWrite::new(config.state.todos.clone()))
}

fn tools(workspace: &Arc<Workspace>, todos: TodoWrite) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(Glob::new(workspace.clone())),
        Arc::new(Grep::new(workspace.clone())),
        Arc::new(Read::new(workspace.clone())),
        Arc::new(todos),
    ]
}

fn offered(tools: &[Arc<dyn Tool>]) -> Vec<SessionTool> {
    let tools = tools.iter().map(|tool| SessionTool {
        origin: ToolOrigin::Builtin,
        tool: tool.definition(),
    });
    tools.collect()
}
