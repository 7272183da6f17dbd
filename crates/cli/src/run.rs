mod beginning;
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

use anyhow::Context;
use aside_agent::{Client, Limits, Past, Replay};
use aside_host::project_dir;
use aside_messages::conversation::Conversation;
use aside_providers::Loss;
use aside_transcript::Transcript;
use uuid::Uuid;

use crate::Failure;
use crate::arguments::Run;
use crate::asked::Asked;
use crate::input::{self, MIB};
use crate::output;
use crate::request;
use crate::session::Here;
use beginning::Beginning;
use journal::ToTranscript;
pub(crate) use next::next_request;
use play::play;
use steer::Steering;

/// More than any recording has.
const LONGEST_RECORDING: u64 = 64 * MIB;

pub(crate) fn run(arguments: &Run) -> Result<(), Failure> {
    let here = Here::look(&arguments.session)?;
    let asked = Asked::of(&here, &arguments.request)?;
    let (config, faults) = request::config(&here, &arguments.request, &asked)?;
    let directory = store::directory(here.host.variables.aside_dir(), &project_dir(&config.cwd))?;
    let id = arguments
        .resume
        .unwrap_or_else(|| store::new_id(&directory));
    // Before anything is written: whoever cannot be asked leaves no session.
    let client = client(arguments, &asked, id)?;
    let (transcript, past) = match arguments.resume {
        Some(id) => go_on(&directory, id)?,
        None => (store::create(&directory, id)?, None),
    };
    let beginning = Beginning {
        config,
        faults,
        date: arguments.request.date,
        id,
        past,
    };
    let provider = client.provider().to_owned();
    let (agent, written) = beginning.agent(client, Some(provider))?;
    output::say("session", &id.to_string());
    let agent = agent
        .with_limits(Limits {
            turns: arguments.max_turns,
            ..Limits::default()
        })
        .with_journal(ToTranscript(transcript), written);
    let steering = arguments.steer.then(|| Steering::new(agent.inbox()));
    play(agent, arguments.prompt.as_deref(), steering)
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
    let told = |loss: &Loss| output::warn([loss]);
    Ok(Arc::new(http.telling_losses(told)))
}
