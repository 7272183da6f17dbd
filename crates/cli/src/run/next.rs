//! The request that a run would send next.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, anyhow};
use aside_agent::{Client, ClientError, ClientErrorKind, CompleteFuture, Observer, Progress};
use aside_host::project_dir;
use aside_messages::conversation::{Conversation, Origin};
use aside_messages::encode::Body;
use uuid::Uuid;

use super::beginning::Beginning;
use super::{endpoint, past, store};
use crate::Failure;
use crate::arguments::Render;
use crate::asked::Asked;
use crate::interrupt;
use crate::output;
use crate::request;
use crate::session::Here;

/// The next request of a session that is written down. Nothing is written, and
/// another process may be writing it.
///
/// It is made by the loop itself, up to the moment at which it would be sent.
pub(crate) fn next_request(
    arguments: &Render,
    here: &Here,
    asked: &Asked,
    id: Uuid,
) -> Result<Body, Failure> {
    let (config, faults) = request::config(here, &arguments.request, asked)?;
    let directory = store::directory(here.host.variables.aside_dir(), &project_dir(&config.cwd))?;
    let contents = store::look(&directory, id)?;
    let past = past::read(&contents, id).with_context(|| format!("failed to resume {id}"))?;
    let chosen = endpoint::provider(asked).map(|provider| provider.to_string());
    let answered = past.as_ref().and_then(|(_, said)| last_provider(said));
    let beginning = Beginning {
        config,
        faults,
        date: arguments.request.date,
        id,
        past,
    };
    let wanted = Arc::new(Nobody::default());
    let (agent, _) = beginning.agent(wanted.clone(), chosen.or(answered))?;
    let mut agent = agent.with_observer(Warnings);
    let ended = interrupt::block_on(async {
        if let Some(prompt) = &arguments.prompt {
            agent.prompt(prompt).await?;
        }
        agent.run().await
    })?;
    if let Some(body) = wanted.take() {
        return Ok(body);
    }
    ended.context("failed to prepare a request")?;
    Err(anyhow!("failed to prepare a request: there is nothing to answer: say something").into())
}

/// Who answered last.
fn last_provider(conversation: &Conversation) -> Option<String> {
    let entries = conversation.entries().iter().rev();
    entries.into_iter().find_map(|entry| match &entry.origin {
        Origin::Model { provider, .. } => Some(provider.clone()),
        _ => None,
    })
}

/// Answers nothing, and keeps what was asked.
#[derive(Debug, Default)]
struct Nobody(Mutex<Option<Body>>);

impl Nobody {
    fn take(&self) -> Option<Body> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Client for Nobody {
    fn provider(&self) -> &str {
        "nobody"
    }

    fn complete<'a>(&'a self, body: &'a Body) -> CompleteFuture<'a> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(body.clone());
        let kind = ClientErrorKind::Cancelled;
        Box::pin(async move { Err(ClientError::new(kind, "send: nothing is sent")) })
    }
}

/// Tells what people should know of the request.
#[derive(Debug)]
struct Warnings;

impl Observer for Warnings {
    fn observe(&mut self, progress: Progress<'_>) {
        if let Progress::Diagnostic(fault) = progress {
            output::warn([fault]);
        }
    }
}
