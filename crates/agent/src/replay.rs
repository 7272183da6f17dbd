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

/// Answers from a cassette, in order. No model is asked and nothing is sent.
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
/// | `answers` | what is answered to the first request, to the second… |
/// | `repeat` | the last answer is that to every further request too; otherwise there is none |
///
/// | key of an answer | value |
/// |---|---|
/// | `content` | content blocks of the Messages API, or a text |
/// | `stop_reason` | by default `tool_use` where a tool is called, else `end_turn` |
/// | `usage` | `input_tokens`, `cache_creation_input_tokens`, `cache_read_input_tokens`, `output_tokens`; by default 0 |
/// | `breaks_off` | the stream ends within the last block |
/// | `error` | in the place of `content`: the request is refused, with `status`, `type` and `message` |
/// | `expect` | what must be true of the request, or it is [refused](ClientErrorKind::Unexpected) |
///
/// | key of `expect` | what must be |
/// |---|---|
/// | `model` | the model |
/// | `messages` | the number of messages, those of the role `system` aside |
/// | `last` | texts that are in the texts and results of the last message, those of the role `system` aside |
/// | `anywhere` | texts that are in those of any message, or of the system prompt |
/// | `tools` | the names of the tools, in order |
///
/// `cassette.schema.json` is the same as a JSON Schema.
///
/// Other keys are left alone. A file that needs more than this has a higher
/// version, and is refused.
#[derive(Debug)]
pub struct Replay {
    cassette: Cassette,
    /// Which answer comes next.
    next: Mutex<usize>,
}

impl Default for Replay {
    /// Says to every request that it is a recording.
    fn default() -> Self {
        Self::parse("the default recording", include_str!("replay/default.json"))
            .expect("the default recording is valid")
    }
}

impl Replay {
    /// Reads a cassette; `name` is what errors call it.
    ///
    /// # Errors
    /// Where it is no cassette, with the line.
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

    /// The answer to the request at `index`, and its number.
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
                "{name}: there is no answer to request {}, only to {}",
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
