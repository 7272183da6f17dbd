//! The request that a run would send next.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, anyhow};
use aside_agent::{Client, ClientError, ClientErrorKind, CompleteFuture, Observer, Progress};
use aside_host::ProviderSelection;
use aside_messages::conversation::{Conversation, Origin};
use aside_messages::encode::Body;
use uuid::Uuid;

use super::beginning::Beginning;
use super::transcripts;
use crate::Failure;
use crate::arguments::Render;
use crate::interrupt;
use crate::models;
use crate::output;
use crate::request;
use crate::session::Invocation;

/// The next request of a session that is written down. Nothing is written, and
/// another process may be writing it.
///
/// It is made by the loop itself, up to the moment at which it would be sent.
pub(crate) fn next_request(
    arguments: &Render,
    here: &Invocation,
    selection: &ProviderSelection,
    id: Uuid,
) -> Result<Body, Failure> {
    let (config, faults) = request::config(here, &arguments.request, selection)?;
    models::warn(&config, selection);
    let store = transcripts::store(here, &config.cwd)?;
    let resumed = transcripts::read(&store, id)?;
    let chosen = selection.serving().map(|provider| provider.to_string());
    let answered = resumed
        .as_ref()
        .and_then(|it| last_provider(&it.conversation));
    let beginning = Beginning {
        config,
        faults,
        date: arguments.request.date,
        id,
        resumed,
    };
    let wanted = Arc::new(CaptureClient::default());
    let (agent, _) = beginning.agent(wanted.clone(), chosen.or(answered))?;
    let mut agent = agent.with_observer(Warnings);
    let ended = interrupt::block_on(async {
        match &arguments.prompt {
            Some(prompt) => agent.prompt(prompt).await?,
            None if agent.is_idle() => {
                agent.continue_aborted()?;
            }
            None => {}
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
struct CaptureClient(Mutex<Option<Body>>);

impl CaptureClient {
    fn take(&self) -> Option<Body> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Client for CaptureClient {
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
        if let Progress::Diagnostic(diagnostic) = progress {
            output::report(diagnostic);
        }
    }
}
