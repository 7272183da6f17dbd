//! A client that plays a script.

use std::sync::{Mutex, PoisonError};

use aside_agent::{Client, ClientError, ClientErrorKind, CompleteFuture, EventStream};
use aside_messages::encode::Body;
use aside_messages::wire::Request;
use aside_providers::script::{Reply, Script, ScriptError, ScriptedBlock};
use futures_util::stream;

use crate::playback::events;

/// A client that returns the responses in a [`Script`], in order. It calls no model and sends
/// nothing. Times in a script do not count.
#[derive(Debug)]
pub struct Replay {
    /// The responses left, and how many were returned.
    state: Mutex<(Script, usize)>,
}

impl Default for Replay {
    /// Responds to every request with a text that names the recording.
    fn default() -> Self {
        Self::parse("the default recording", include_str!("replay/default.json"))
            .expect("the default recording is valid")
    }
}

impl From<Script> for Replay {
    fn from(script: Script) -> Self {
        Self { state: Mutex::new((script, 0)) }
    }
}

impl Replay {
    /// Parses a script; errors call it `name`.
    ///
    /// # Errors
    ///
    /// The text is not a script; the error has the line.
    pub fn parse(name: impl Into<String>, json: &str) -> Result<Self, ScriptError> {
        Script::parse(name, json).map(Self::from)
    }

    fn answer(&self, request: &Request) -> Result<EventStream, ClientError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (script, answered) = &mut *state;
        let name = script.name();
        let next = script.next(|when| when.check(request).is_ok());
        let (number, answer) = next.ok_or_else(|| {
            let (request, answers) = (*answered + 1, script.len());
            let why = match script.next(|_| true) {
                Some(_) => "the `when` of no answer left matches it".to_owned(),
                None => format!("only to {answers}"),
            };
            unexpected(format!("{name}: no response to request {request}, {why}"))
        })?;
        if let Some(Err(found)) = answer.expect.as_ref().map(|it| it.check(request)) {
            return Err(unexpected(format!(
                "{name}: answer {number} is to another request: {found}"
            )));
        }
        let is_chosen = |block: &ScriptedBlock| {
            matches!(block, ScriptedBlock::ToolUse { name: None, purpose: Some(_), .. })
        };
        let reply = match &answer.reply {
            Reply::Content(blocks) if blocks.iter().any(is_chosen) => {
                return Err(unexpected(format!(
                    "{name}: answer {number} has `reads` or `delegates`, for which only a server \
                     chooses a tool"
                )));
            }
            Reply::Content(blocks) => Ok(events(answer, blocks, request)),
            Reply::Error(status, body) => Err(ClientError::of_response(*status, body)),
        };
        script.take(number);
        *answered += 1;
        Ok(Box::pin(stream::iter(reply?)))
    }
}

fn unexpected(message: String) -> ClientError {
    ClientError::new(ClientErrorKind::Unexpected, message)
}

impl Client for Replay {
    fn provider(&self) -> &str {
        "replay"
    }

    fn complete<'a>(&'a self, body: &'a Body) -> CompleteFuture<'a> {
        Box::pin(async move { self.answer(&body.to_request()) })
    }
}
