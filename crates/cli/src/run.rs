//! `aside run`: runs a model in the directory, with tools that read.
//!
//! ```text
//! arguments ─ Invocation, ProviderSelection ─> SessionConfig ─ Beginning::agent ─> Loop
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
mod steer;
mod transcripts;
mod usage_line;
mod worker;

use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, anyhow};
use aside_agent::{Client, Replay, RunLimits};
use aside_cache_split::PrefixTtl;
use aside_host::{ProviderSelection, new_session_id};
use aside_prompt_sections::Attendance;
#[cfg(feature = "network")]
use aside_providers::ConversionLoss;
use aside_session::SessionConfig;
use aside_transcript::SessionLog;
use uuid::Uuid;

use crate::Failure;
use crate::arguments::{RequestArguments, Run};
use crate::input::{self, MIB};
use crate::kinds;
use crate::models;
use crate::output;
use crate::provider;
use crate::request;
use crate::session::Invocation;
use beginning::Beginning;
pub(crate) use next::next_request;
use play::{Form, play};
use steer::Steering;

/// The longest recording that is read, in bytes.
const MAX_RECORDING_BYTES: u64 = 64 * MIB;

/// Runs a new session, or continues the one of `--resume`.
///
/// Without `--steer` the system prompt states that no user is present. The lifetime of
/// the shared layers of the cache follows from the times at which other sessions of the
/// project began, before this one is one of them.
pub(crate) fn run(arguments: &Run) -> Result<(), Failure> {
    let invocation = Invocation::look(&arguments.session)?;
    let selection = provider::select(&invocation, &arguments.request)?;
    let (mut config, faults) = request::config(&invocation, &arguments.request, &selection)?;
    let selection = match config.cache.global_scope().is_usable() {
        true => selection.with_global_scope(),
        false => selection,
    };
    if !arguments.steer {
        let attendance = &mut config.state.sections.attendance;
        attendance.get_or_insert(Attendance::Unattended);
    }
    needs_worker_tool(&config, &arguments.request)?;
    let store = transcripts::store(&invocation, &config.cwd)?;
    if config.cache.prefix.is_none() {
        // Before this session is one of them.
        let ages = store.ages(SystemTime::now());
        config.cache.prefix = Some(PrefixTtl::auto(ages));
    }
    let id = arguments
        .resume
        .unwrap_or_else(|| new_session_id(store.directory()));
    // Before anything is written: a client that cannot be set up leaves no
    // session.
    let client = client(arguments, &selection, id)?;
    models::warn(&config, &selection);
    let (transcript, resumed) = match arguments.resume {
        Some(id) => transcripts::open(&store, id)?,
        None => (
            store.create(id).context("failed to create the session")?,
            None,
        ),
    };
    let beginning = Beginning::new((config, faults), &arguments.request, id, resumed);
    let beginning = beginning.with_store(store);
    let provider = client.provider().to_owned();
    let (agent, written) = beginning.agent(client, Some(provider))?;
    output::progress("session", &id.to_string());
    let agent = agent
        .with_limits(RunLimits {
            turns: arguments.max_turns,
            ..RunLimits::default()
        })
        .with_journal(SessionLog::new(transcript), written);
    let steering = arguments.steer.then(|| Steering::new(agent.inbox()));
    let form = Form {
        is_json: arguments.json,
    };
    play(agent, arguments.prompt.as_deref(), steering, &form)
}

/// Refuses coordinator mode without a tool that starts a worker.
///
/// The prompt of the coordinator names that tool, and the model could not call it.
fn needs_worker_tool(config: &SessionConfig, request: &RequestArguments) -> Result<(), Failure> {
    if config.prompt.coordinator.is_none() || request.prompt.worker_tool.is_some() {
        return Ok(());
    }
    let message = "coordinator mode needs a tool that starts workers: give it a name with \
                   --worker-tool, such as --worker-tool Agent";
    Err(Failure::usage(anyhow!(message)))
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
        let message = "a recording answers: no key is set, nothing is sent";
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
