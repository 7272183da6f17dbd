//! `aside run`: runs a model in the directory, with tools that read.
//!
//! ```text
//! arguments ─ Invocation ─> SessionPlan ─ Beginning::agent ─> Loop
//!           ─ play ─> requests to the client, response on stdout, records in the transcript
//! ```
//!
//! The client is that of the selected provider, a recording of `--replay`, or a default
//! recording if no key is set. The transcript is created after the client, so that a
//! client that cannot be set up leaves no session.
//!
//! Exit code 0: the model is done. Exit code 1: any other end, such as a limit, a refusal
//! or a failed request. Exit code 2: usage error. 130, or 128 and the number of another
//! signal: ended by a signal; `--resume` continues the session.

mod beginning;
mod excerpt;
mod json_lines;
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
use crate::session::Invocation;
use crate::session_plan::{Harness, SessionPlan};
use beginning::Beginning;
pub(crate) use next::next_request;
use play::{Form, play};
use steer::Steering;

/// The longest recording that is read, in bytes.
const MAX_RECORDING_BYTES: u64 = 64 * MIB;

/// Runs a new session, or continues the one of `--resume`.
///
/// Without `--steer` the system prompt states that no user is present.
pub(crate) fn run(arguments: &Run) -> Result<(), Failure> {
    let invocation = Invocation::look(&arguments.session)?;
    let harness = match arguments.steer {
        true => Harness::Steered,
        false => Harness::Unattended,
    };
    let plan = SessionPlan::new(&invocation, &arguments.request, harness, &ToolChoice::Own)?;
    let store = transcripts::store(&invocation, &plan.config.cwd)?;
    let id = arguments
        .resume
        .or(arguments.session_id)
        .unwrap_or_else(|| new_session_id(store.directory()));
    // Before anything is written: a client that cannot be set up leaves no
    // session.
    let client = client(arguments, &plan.selection, id)?;
    let (transcript, resumed) = match arguments.resume {
        Some(id) => transcripts::open(&store, id)?,
        None => (transcripts::create(&store, id)?, None),
    };
    let beginning = Beginning::new(plan, id, resumed);
    let beginning = beginning.with_store(store);
    #[cfg(feature = "network")]
    let servers = mcp::connect(&invocation, &arguments.servers, mcp::Calls::Sent)?;
    #[cfg(feature = "network")]
    let beginning = beginning.with_servers(servers.clone().map(|it| it as Arc<dyn ToolServers>));
    let provider = client.provider().to_owned();
    let (agent, written) = beginning.agent(client, Some(provider))?;
    output::progress("session", &id.to_string());
    let agent = agent
        .with_limits(RunLimits {
            turns: arguments.max_turns,
            ..RunLimits::default()
        })
        .with_journal(transcript, written);
    let steering = arguments.steer.then(|| Steering::new(agent.inbox()));
    let form = Form {
        is_json: arguments.json,
    };
    let played = play(agent, arguments.prompt.as_deref(), steering, &form);
    #[cfg(feature = "network")]
    mcp::close(servers)?;
    played
}

/// Returns the client: a recording of `--replay`, the selected provider, or without a key
/// a recording that responds to every request, which is reported.
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

/// Returns the client of the selected provider; `None` if none is chosen and no key is set.
///
/// The id of the session is part of the requests of some providers. Conversion losses of
/// each request are reported.
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

/// Refuses to send, since the command was built without the feature `network`.
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
