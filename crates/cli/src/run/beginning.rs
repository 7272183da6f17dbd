//! The loop of a session that begins or goes on: the same for who runs it and
//! for who looks at its next request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_agent::{
    Client, Clock, Diagnostic, Loop, Past, Session, SessionConfig, SessionTime, SessionTool, Tool,
    ToolOrigin,
};
use aside_messages::conversation::Conversation;
use aside_messages::lower::ModelName;
use aside_prompt_sections::SessionDate;
use aside_tools::{Glob, Grep, Read, TodoWrite, Workspace};
use uuid::Uuid;

use crate::Failure;
use crate::interrupt;
use crate::output;

/// What a loop is made from.
pub(super) struct Beginning {
    pub(super) config: SessionConfig,
    /// What was found wrong on the way.
    pub(super) faults: Vec<Diagnostic>,
    /// The day that --date names.
    pub(super) date: Option<SessionDate>,
    pub(super) id: Uuid,
    /// What was before; `None` in a session that begins.
    pub(super) past: Option<(Past, Conversation)>,
}

impl Beginning {
    /// The loop, and how many entries of its conversation are written down.
    /// Says what people should know of the session.
    ///
    /// `provider` serves the model, by which its own thinking is told from that
    /// of others; `None` where nobody knows.
    pub(super) fn agent(
        self,
        client: Arc<dyn Client>,
        provider: Option<String>,
    ) -> Result<(Loop, usize), Failure> {
        let Self {
            mut config,
            faults,
            date,
            id,
            past,
        } = self;
        let additional = config.additional_directories.iter();
        let workspace = Arc::new(Workspace::new(&config.cwd, additional));
        let tools = tools(&workspace, todos(past.as_ref(), &config));
        config.tools = offered(&tools);
        config.lower.model = provider.map(|provider| ModelName {
            provider,
            name: config.model.clone(),
        });
        let fixed = date.and(config.time.now.clone());
        let (session, conversation, written) = begin(config, id, past)?;
        output::warn(faults.iter().chain(session.diagnostics()));
        let time = Running::new(fixed, &session);
        let agent = Loop::new(session, conversation, client)
            .with_tools(tools)
            .with_files(workspace)
            .with_clock(time);
        Ok((agent, written))
    }
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

/// The list of a session that goes on, else the one that is given.
fn todos(past: Option<&(Past, Conversation)>, config: &SessionConfig) -> TodoWrite {
    let written = past.and_then(|(_, said)| TodoWrite::of(said));
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
