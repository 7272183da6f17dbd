//! Sets up the loop for a new or resumed session, to run it or to print its
//! next request.
//!
//! Both use `LoopInputs::open`, so that `aside render` prints the same bytes
//! that `aside run` would send.

use std::sync::Arc;

use aside_agent::{Client, Loop, ToolServers};
use aside_host::SessionClock;
use aside_messages::conversation::Conversation;
use aside_session::{ContextSize, Session, SessionConfig, SessionTool, ToolOrigin};
use aside_tools::{Snip, TodoWrite, Workspace, builtin_tools, edit_tools};
use aside_transcript::{ResumedSession, SessionStore};
use uuid::Uuid;

use super::worker::Worker;
use crate::Failure;
use crate::interrupt;
use crate::output;
use crate::session_plan::SessionPlan;

/// What to open a loop with.
pub(super) struct LoopInputs {
    /// A session plan with Aside's own tools.
    pub(super) plan: SessionPlan,
    /// The session id, used to derive ids for its entries and workers.
    pub(super) id: Uuid,
    /// Where to write workers' transcripts; `None` when nothing is run.
    pub(super) store: Option<SessionStore>,
    /// The MCP servers, when any are started. They replace those in `--state`.
    pub(super) servers: Option<Arc<dyn ToolServers>>,
    /// The session so far; `None` in a new session.
    pub(super) resumed: Option<ResumedSession>,
}

impl LoopInputs {
    /// Returns the loop, and how many of its conversation's entries the
    /// transcript already has. Reports the session's diagnostics.
    ///
    /// The tools come from the plan, in order. `provider` serves the model, and
    /// tells its own thinking from others'; `None` when unknown.
    pub(super) fn open(
        self,
        client: Arc<dyn Client>,
        provider: Option<String>,
    ) -> Result<(Loop, usize), Failure> {
        let Self { mut plan, id, store, servers, resumed } = self;
        if let Some(servers) = &servers {
            plan.config.state.mcp_servers = Some(servers.offer().servers);
        }
        let mut size = ContextSize::default();
        let names_plan = plan.config.state.plan.is_some();
        if let Some(resumed) = &resumed {
            let recorded = &resumed.state.context;
            plan.resume(recorded, &resumed.conversation);
            // Another model counts otherwise.
            let sent = recorded.last_delivery(&resumed.conversation);
            if sent.is_some_and(|it| it.model == plan.config.model) {
                size = resumed.size;
            }
            // A server of an earlier run that this one does not have is disconnected.
            plan.config.state.mcp_servers.get_or_insert_default();
        }
        plan.serve_by(provider);
        let SessionPlan { config, faults, date, worker_tool, allows_edits, .. } = plan;
        let additional = config.additional_directories.iter();
        let workspace = Workspace::new(&config.cwd, additional);
        let loader = &config.memory;
        let workspace = workspace
            .with_readable(loader.user_skill_dirs())
            .with_readable(loader.user_agent_dirs());
        let plan = config.state.plan.as_ref().filter(|plan| plan.is_on);
        let workspace = match plan {
            Some(plan) if names_plan => workspace.in_plan_mode_anywhere(&plan.file),
            // A record must not choose a file outside the project.
            Some(plan) => workspace.in_plan_mode(&plan.file),
            None => workspace,
        };
        let is_run = store.is_some();
        let workspace = Arc::new(if is_run { workspace } else { workspace.without_writing() });
        let mut tools = builtin_tools(&workspace, todos(resumed.as_ref(), &config));
        if allows_edits {
            tools.extend(edit_tools(&workspace));
        }
        if config.lower.tag_ids {
            tools.push(Arc::new(Snip));
        }
        if let Some(name) = worker_tool {
            let client = client.clone();
            let worker = Worker::new(&name, &config, workspace.clone(), client, id, store);
            tools.push(Arc::new(worker));
        }
        let fixed = date.and(config.time.now.clone());
        let (session, conversation, written) = match resumed {
            Some(resumed) => resume(config, resumed)?,
            None => {
                let session = interrupt::block_on(Session::open(config))?;
                let conversation = session.begin(id);
                (session, conversation, 0)
            }
        };
        output::report_all(faults.iter().chain(session.diagnostics()).cloned());
        let clock = SessionClock::new(session.time().elapsed, fixed);
        let agent = Loop::new(session, conversation, client)
            .with_tools(tools)
            .with_files(workspace)
            .with_size(size)
            .with_clock(clock);
        let agent = match servers {
            Some(servers) => agent.with_servers(servers),
            None => agent,
        };
        Ok((agent, written))
    }
}

/// Resumes a session. Returns it with its conversation and how many entries the
/// transcript already has.
///
/// It offers the configured tools as it recorded them, since the prefix bytes
/// depend on them; those of an earlier run that cannot be called in
/// this one are removed. A changed cache breaker gathers the context again.
fn resume(
    config: SessionConfig,
    resumed: ResumedSession,
) -> Result<(Session, Conversation, usize), Failure> {
    let requested = config.tools.clone();
    let mut conversation = resumed.conversation;
    let written = conversation.entries().len();
    let state = config.state.clone();
    let breaker = config.cache_breaker.clone();
    let mut session = Session::resume(config, resumed.state, &mut conversation);
    // Server tools come from the state.
    let is_own = |it: &&SessionTool| it.origin == ToolOrigin::Builtin;
    let is_requested =
        |it: &&SessionTool| requested.iter().any(|own| own.tool.name == it.tool.name);
    let recorded = session.context().offered_tools().filter(is_own);
    let (kept, gone): (Vec<_>, Vec<_>) = recorded.partition(is_requested);
    let is_new = |it: &&SessionTool| !session.context().offers(&it.tool.name);
    let new: Vec<_> = requested.iter().filter(is_new).collect();
    if !new.is_empty() || !gone.is_empty() {
        let tools = kept.into_iter().chain(new).cloned().collect();
        output::report_all(session.set_tools(tools));
    }
    // The servers' tools may have changed.
    output::report_all(session.set_state(state));
    if breaker.is_some() {
        let changed = session.set_cache_breaker(&mut conversation, breaker);
        output::report_all(interrupt::block_on(changed)?);
    }
    Ok((session, conversation, written))
}

/// Returns the task list: from a resumed session, else from `--state`.
fn todos(resumed: Option<&ResumedSession>, config: &SessionConfig) -> TodoWrite {
    let written = resumed.and_then(|it| TodoWrite::of(&it.conversation));
    written.unwrap_or_else(|| TodoWrite::new(config.state.todos.clone()))
}
