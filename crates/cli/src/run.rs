//! `aside run`: runs a model in the directory, with tools that read.
//!
//! ```text
//! arguments ─ Invocation ─> SessionPlan ─ LoopInputs::open ─> Loop
//!           ─ play ─> requests to the client, response on stdout, records in the transcript
//! ```
//!
//! The client comes from the selected provider or a `--replay` recording; when
//! no key is set, it is a default recording. The transcript is created after
//! the client, so that you are left with no session when a client cannot be set
//! up.
//!
//! Exit code 0: the model is done. Exit code 1: any other end, such as a limit,
//! a refusal or a failed request. Exit code 2: usage error. 130, or 128 plus
//! another signal's number: ended by a signal; `--resume` continues the
//! session.

mod excerpt;
mod json_lines;
mod loop_inputs;
mod next;
mod play;
mod show;
mod spending;
mod steer;
pub(crate) mod transcripts;
mod usage_line;
mod worker;

use std::sync::Arc;

use anyhow::{Context, anyhow};
#[cfg(feature = "network")]
use aside_agent::ToolServers;
use aside_agent::{Client, RunLimits};
use aside_host::{ProviderSelection, new_session_id};
#[cfg(feature = "network")]
use aside_providers::ConversionLoss;
use aside_transport::Replay;
use uuid::Uuid;

use crate::Failure;
use crate::arguments::{Run, ToolChoice};
use crate::input::{self, MIB};
use crate::kinds;
#[cfg(feature = "network")]
use crate::mcp;
use crate::output;
use crate::session;
use crate::session_plan::{Harness, SessionPlan};
use loop_inputs::LoopInputs;
pub(crate) use next::{next_request, serving};
use play::{Form, play};
use steer::Steering;

/// The largest recording to read, in bytes.
const MAX_RECORDING_BYTES: u64 = 64 * MIB;

/// Runs a new session, or continues the `--resume` session.
///
/// Without `--steer`, the system prompt says that no user is present.
pub(crate) fn run(arguments: &Run) -> Result<(), Failure> {
    let invocation = session::look(&arguments.session)?;
    let harness = if arguments.steer { Harness::Steered } else { Harness::Unattended };
    let plan = SessionPlan::new(&invocation, &arguments.request, harness, &ToolChoice::Own)?;
    let store = transcripts::store(&invocation, &plan.config.cwd)?;
    let id = arguments
        .resume
        .or(arguments.session_id)
        .unwrap_or_else(|| new_session_id(store.directory()));
    // Before writing anything: leave no session when a client cannot be set up.
    let client = client(arguments, &plan.selection, id)?;
    let (transcript, resumed) = match arguments.resume {
        Some(id) => transcripts::open(&store, id)?,
        None => (transcripts::create(&store, id)?, None),
    };
    #[cfg(feature = "network")]
    let servers = mcp::connect(&invocation, &arguments.servers, mcp::Calls::Sent)?;
    #[cfg(feature = "network")]
    let offered = servers.clone().map(|it| it as Arc<dyn ToolServers>);
    #[cfg(not(feature = "network"))]
    let offered = None;
    let provider = client.provider().to_owned();
    let inputs = LoopInputs { plan, id, store: Some(store), servers: offered, resumed };
    let (agent, written) = inputs.open(client, Some(provider))?;
    output::progress("session", &id.to_string());
    let agent = agent
        .with_limits(RunLimits { turns: arguments.max_turns, ..RunLimits::default() })
        .with_journal(transcript, written);
    let steering = arguments.steer.then(|| Steering::new(agent.inbox()));
    let form = Form { is_json: arguments.json };
    let played = play(agent, arguments.prompt.as_deref(), steering, &form);
    #[cfg(feature = "network")]
    mcp::close(servers)?;
    played
}

/// Returns the client: a `--replay` recording, the selected provider or,
/// without a key, a recording that responds to every request. Reports this
/// recording.
fn client(
    arguments: &Run,
    selection: &ProviderSelection,
    id: Uuid,
) -> Result<Arc<dyn Client>, Failure> {
    if let Some(file) = &arguments.replay {
        let json = input::text(file, MAX_RECORDING_BYTES).map_err(Failure::usage)?;
        let replay = Replay::parse(file.to_string_lossy(), &json)
            .context("failed to use the recording")
            .map_err(Failure::usage)?;
        return Ok(Arc::new(replay));
    }
    let Some(client) = provider_client(selection, id)? else {
        let message =
            "no key is set, such as ANTHROPIC_API_KEY: a recording answers, and nothing is sent";
        output::report(&kinds::RECORDING.diagnostic(message));
        return Ok(Arc::new(Replay::default()));
    };
    Ok(client)
}

/// Returns a client for the selected provider; `None` when none is chosen and
/// no key is set.
///
/// Some providers get the session id in their requests. Reports each request's
/// conversion losses.
#[cfg(feature = "network")]
fn provider_client(
    selection: &ProviderSelection,
    id: Uuid,
) -> Result<Option<Arc<dyn Client>>, Failure> {
    let http = selection
        .client(id.to_string())
        .map_err(|error| Failure::usage(anyhow!("failed to {error}")))?;
    let report = |loss: &ConversionLoss| output::report(&loss.into());
    Ok(http.map(|http| Arc::new(http.reporting_losses(report)) as Arc<dyn Client>))
}

/// Refuses to send: this command was built without the `network` feature.
#[cfg(not(feature = "network"))]
fn provider_client(
    selection: &ProviderSelection,
    _id: Uuid,
) -> Result<Option<Arc<dyn Client>>, Failure> {
    match selection.serving() {
        None => Ok(None),
        Some(provider) => Err(Failure::usage(anyhow!(
            "failed to send to {provider}: built without the feature network; --replay needs none"
        ))),
    }
}
