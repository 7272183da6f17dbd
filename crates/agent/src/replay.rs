mod cassette;
mod cassette_error;
mod expectation;
mod playback;

use std::sync::{Mutex, PoisonError};

use aside_messages::encode::Body;
use futures_util::stream;

pub use cassette_error::CassetteError;

use crate::client::{Client, CompleteFuture, EventStream};
use crate::client_error::{ClientError, ClientErrorKind};
use cassette::{Cassette, Recorded};

/// A client that returns recorded responses from a cassette, in order. No model
/// is involved and nothing is sent.
///
/// A cassette is a JSON file:
///
/// ```json
/// {
///   "version": 1,
///   "answers": [
///     {
///       "expect": {"messages": 1, "last": ["hello"], "tools": ["Read"]},
///       "content": [{"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a.md"}}],
///       "usage": {"input_tokens": 900, "output_tokens": 12}
///     },
///     {"error": {"status": 529, "type": "overloaded_error", "message": "Overloaded"}},
///     {"content": "It is emp", "breaks_off": true},
///     {"content": "It is empty.", "stop_reason": "end_turn"}
///   ],
///   "repeat": false
/// }
/// ```
///
/// | key | value |
/// |---|---|
/// | `version` | 1 |
/// | `answers` | the responses to the first request, the second, … |
/// | `repeat` | the last response is repeated for every further request; otherwise these fail |
///
/// | key of an answer | value |
/// |---|---|
/// | `content` | content blocks of the Messages API, or a text |
/// | `stop_reason` | by default `tool_use` if a tool is called, else `end_turn` |
/// | `usage` | `input_tokens`, `cache_creation_input_tokens`, `cache_read_input_tokens`, `output_tokens`; by default 0 |
/// | `breaks_off` | the stream ends within the last block |
/// | `error` | instead of `content`: the request fails with `status`, `type` and `message` |
/// | `expect` | conditions on the request; one that does not meet them is [refused](ClientErrorKind::Unexpected) |
///
/// | key of `expect` | condition |
/// |---|---|
/// | `model` | the model |
/// | `messages` | the number of messages, without those of the role `system` |
/// | `last` | texts that the last message (of another role than `system`) contains, in its texts and results |
/// | `anywhere` | texts that any message or the system prompt contains |
/// | `tools` | the names of the tools, in order |
///
/// `cassette.schema.json` describes the same form as a JSON Schema.
///
/// Other keys are ignored. A file that needs later features has a higher
/// version, and is refused.
#[derive(Debug)]
pub struct Replay {
    cassette: Cassette,
    /// The index of the next response.
    next: Mutex<usize>,
}

impl Default for Replay {
    /// Responds to every request with a text that names the recording.
    fn default() -> Self {
        Self::parse("the default recording", include_str!("replay/default.json"))
            .expect("the default recording is valid")
    }
}

impl Replay {
    /// Parses a cassette; errors call it `name`.
    ///
    /// # Errors
    ///
    /// The text is not a cassette; the error has the line.
    pub fn parse(name: impl Into<String>, json: &str) -> Result<Self, CassetteError> {
        Ok(Self {
            cassette: Cassette::parse(name.into(), json)?,
            next: Mutex::new(0),
        })
    }

    fn answer(&self, body: &Body) -> Result<EventStream, ClientError> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, recorded) = self.recorded(*next)?;
        if let Some(expectation) = &recorded.expect {
            expectation.check(body).map_err(|found| {
                let name = &self.cassette.name;
                unexpected(format!(
                    "{name}: answer {number} is to another request: {found}"
                ))
            })?;
        }
        *next += 1;
        drop(next);
        match &recorded.error {
            Some(error) => Err(error.clone()),
            None => Ok(Box::pin(stream::iter(playback::events(recorded)))),
        }
    }

    /// Returns the response to the request at `index`, and its number.
    fn recorded(&self, index: usize) -> Result<(usize, &Recorded), ClientError> {
        let Cassette {
            name,
            answers,
            repeat,
        } = &self.cassette;
        let last = answers.len().checked_sub(1).filter(|_| *repeat);
        let index = last.map_or(index, |last| index.min(last));
        match answers.get(index) {
            Some(answer) => Ok((index + 1, answer)),
            None => Err(unexpected(format!(
                "{name}: no response to request {}, only to {}",
                index + 1,
                answers.len()
            ))),
        }
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
        Box::pin(async move { self.answer(body) })
    }
}
