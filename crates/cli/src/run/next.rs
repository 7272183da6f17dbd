//! What a run would send next, for `aside render` and `aside context`.
//!
//! The `aside run` loop itself prepares the request, and returns it unsent. Its client,
//! `CancelClient`, fails with a cancellation, so that a compaction sends nothing either.

use std::sync::Arc;

use anyhow::{Context, anyhow};
use aside_agent::{
    Client, ClientError, ClientErrorKind, CompleteFuture, LoopError, Observer, Progress,
    ToolServers,
};
use aside_host::Invocation;
use aside_messages::conversation::{Conversation, Origin};
use aside_messages::encode::Body;
use aside_messages::one_line;
use aside_session::{Prepared, Session};
use aside_tools::OwnTools;
use uuid::Uuid;

use super::loop_inputs::LoopInputs;
use super::transcripts;
use crate::Failure;
use crate::arguments::NextRequest;
use crate::interrupt;
use crate::kinds;
use crate::output;
use crate::session_plan::SessionPlan;

/// Returns the next request in a new or stored session. This writes nothing,
/// and another process may write the session at the same time.
///
/// The loop itself prepares it, up to when it would be sent.
///
/// Tool calls without a result are run if they only read. Others get the result
/// of a run as far as it is known, and are reported. Without a prompt, an
/// aborted response is continued.
///
/// # Errors
/// Fails with exit code 1 when the session does not exist, or when no message
/// needs a response.
pub(crate) fn next_request(
    arguments: &NextRequest,
    invocation: &Invocation,
    plan: SessionPlan,
    id: Uuid,
    servers: Option<Arc<dyn ToolServers>>,
) -> Result<(Prepared, Session, Conversation), Failure> {
    let resumed = match arguments.resume {
        Some(id) => {
            let store = transcripts::store(invocation, &plan.config.cwd)?;
            transcripts::read(&store, id)?
        }
        None => None,
    };
    let provider = serving(&plan, resumed.as_ref().map(|it| &it.conversation));
    let inputs = LoopInputs { plan, id, store: None, servers, resumed };
    let (agent, _) = inputs.open(Arc::new(CancelClient), provider)?;
    let mut agent = agent.with_observer(Watcher);
    let ended = interrupt::block_on(async move {
        match &arguments.prompt {
            Some(prompt) => {
                agent.prompt(prompt).await?;
                // Nothing was appended.
                if agent.is_idle() {
                    return Ok(Err("the prompt is a command, which only aside run executes"));
                }
            }
            None if agent.is_idle() => {
                agent.continue_aborted()?;
            }
            None => {}
        }
        let request = agent.into_request().await?;
        Ok::<_, LoopError>(request.ok_or("no message needs a response: pass a prompt"))
    })?;
    let request = ended.context("failed to prepare a request")?;
    Ok(request.map_err(|why| anyhow!("failed to prepare a request: {why}"))?)
}

/// Returns which provider serves the next request: the selected one, else the
/// one that sent the last response, whose thinking is then kept.
pub(crate) fn serving(plan: &SessionPlan, conversation: Option<&Conversation>) -> Option<String> {
    let answered = || {
        let mut entries = conversation?.entries().iter().rev();
        entries.find_map(|entry| match &entry.origin {
            Origin::Model { provider, .. } => Some(provider.clone()),
            _ => None,
        })
    };
    plan.selection.serving().map(|provider| provider.to_string()).or_else(answered)
}

/// Sends nothing and returns no response.
#[derive(Debug)]
struct CancelClient;

impl Client for CancelClient {
    fn provider(&self) -> &str {
        "nobody"
    }

    fn complete<'a>(&'a self, _body: &'a Body) -> CompleteFuture<'a> {
        let kind = ClientErrorKind::Cancelled;
        Box::pin(async move { Err(ClientError::new(kind, "send: nothing is sent")) })
    }
}

/// Reports diagnostics.
#[derive(Debug)]
struct Watcher;

impl Observer for Watcher {
    fn observe(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Diagnostic(diagnostic) => output::report(diagnostic),
            Progress::Called(call) => {
                let reading = OwnTools { snip: true, ..OwnTools::default() }.definitions();
                if reading.iter().all(|it| *it.tool.name != *call.name) {
                    let name = one_line(&call.name);
                    let message = format!(
                        "the call of {name} is not carried out: a run may get another result"
                    );
                    output::report(&kinds::CALL_NOT_RUN.diagnostic(message));
                }
            }
            _ => {}
        }
    }
}
