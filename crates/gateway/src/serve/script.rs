//! Scripts: the responses of the server and their conditions.
//!
//! ```json
//! {"version": 1, "repeat": false, "answers": [
//!   {"when": {"last": ["weather"]}, "content": [{"type": "tool_use", "name": "Weather"}]},
//!   {"error": {"status": 529, "type": "overloaded_error", "message": "Overloaded"}, "times": 2},
//!   {"content": "Hello.", "stop_reason": "end_turn", "breaks_off": true}
//! ]}
//! ```
//!
//! A response is chosen when a request arrives: the first that is left and
//! whose `when` fits. With `repeat`, the last one remains for all further
//! requests.

use std::fmt;
use std::time::Duration;

use aside_user_files::json;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::input;
use super::matcher::Matcher;
use crate::strict::{Draft, DraftBlock};

/// The version of the format, which every script states.
const VERSION: u64 = 1;

/// The answers of a server, in order.
///
/// A cassette of `aside run --replay` is a script. A script may also have, for
/// each answer:
///
/// | key | value |
/// |---|---|
/// | `when` | a matcher, as in `expect`: the answer is left for a request that it fits |
/// | `times` | the number of requests that it is for, by default 1 |
/// | `delay_ms` | the time before the response begins |
/// | `event_delay_ms` | the time between two events of a stream |
/// | `advance_ms` | moves the server's clock before the request is judged |
///
/// A block `{"type":"thinking","thinking":"…"}` is signed by the server. A block
/// `{"type":"tool_use","name":"Read"}` without `input` gets an input that its
/// schema accepts; without `name`, it calls the request's first tool.
///
/// ```
/// use aside_gateway::serve::Script;
///
/// let script = Script::parse(
///     r#"{"version":1,"answers":[
///         {"when":{"last":["weather"]},"content":[{"type":"tool_use","name":"Weather"}]},
///         {"content":"Hello."}
///     ],"repeat":true}"#,
/// );
/// assert!(script.is_ok());
/// assert!(Script::parse(r#"{"version":1,"answers":[{"contents":"Hi"}]}"#).is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Script {
    answers: Vec<Scripted>,
    /// True if the last response is used for every request after it.
    repeat: bool,
}

/// One response of a script.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scripted {
    /// The requests that the response is left for; `None` fits every request.
    pub(crate) when: Option<Matcher>,
    /// The conditions on the request. Status 500 is sent if it breaks one.
    pub(crate) expect: Option<Matcher>,
    pub(crate) action: Action,
    /// The stop reason; by default it depends on the content.
    pub(crate) stop_reason: Option<String>,
    /// True if the stream ends before the message is complete.
    pub(crate) breaks_off: bool,
    /// The time before the response begins.
    pub(crate) delay: Duration,
    /// The time before each event of a stream.
    pub(crate) event_delay: Duration,
    /// The time by which the clock moves before the request is judged.
    pub(crate) advance: Duration,
    /// The number of requests that the response is left for.
    left: u64,
}

/// The kind of a response.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// The blocks of a message.
    Content(Vec<ScriptedBlock>),
    /// A refusal: status, type and text.
    Error(u16, Option<String>, String),
}

/// A block of a response, before ids, signatures and inputs are added.
#[derive(Clone, Debug)]
pub(crate) enum ScriptedBlock {
    /// A block that does not depend on the request.
    Fixed(DraftBlock),
    /// A tool call whose name or input is chosen from the tools of the request.
    Call {
        id: Option<String>,
        name: Option<String>,
    },
}

/// Why a script was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct ScriptError {
    detail: String,
}

impl Default for Action {
    fn default() -> Self {
        Self::Content(Vec::new())
    }
}

impl Default for Script {
    /// Creates a script with one neutral response to every request.
    fn default() -> Self {
        let polite = Draft::polite().blocks.into_iter();
        Self {
            answers: vec![Scripted {
                action: Action::Content(polite.map(ScriptedBlock::Fixed).collect()),
                left: 1,
                ..Scripted::default()
            }],
            repeat: true,
        }
    }
}

impl Script {
    /// Reads a script or a cassette.
    ///
    /// # Errors
    /// Returns the JSON path, the line and the expected shape.
    pub fn parse(json: &str) -> Result<Self, ScriptError> {
        let json = json.strip_prefix('\u{feff}').unwrap_or(json);
        let Version { version } = json::read(json).map_err(ScriptError::new)?;
        if version != VERSION {
            return Err(ScriptError {
                detail: format!("version {version} is not known, only {VERSION}"),
            });
        }
        let file: File<'_> = json::read(json).map_err(ScriptError::new)?;
        let answers = file.answers.into_iter().enumerate().map(|(index, answer)| {
            let fault = |detail: String| ScriptError {
                detail: format!("answers[{index}]: {detail}"),
            };
            let entry: Entry<'_> = json::read(answer.get()).map_err(|it| fault(it.to_string()))?;
            entry.read().map_err(fault)
        });
        Ok(Self {
            answers: answers.collect::<Result<_, _>>()?,
            repeat: file.repeat,
        })
    }

    /// Creates a script from recorded responses, each the content of a message
    /// and its stop reason.
    pub(crate) fn recorded(answers: Vec<(String, Option<String>)>) -> Self {
        let answers = answers.into_iter().map(|(content, stop_reason)| Scripted {
            action: Action::Content(blocks(&content).unwrap_or_default()),
            stop_reason,
            left: 1,
            ..Scripted::default()
        });
        Self {
            answers: answers.collect(),
            repeat: false,
        }
    }

    /// Returns the next response to a request with its number, from 1.
    ///
    /// A response stays until it is marked as used; the number of requests that
    /// were refused in between does not matter. `None` if none is left.
    pub(crate) fn next(&self, body: &[u8]) -> Option<(usize, &Scripted)> {
        let fits = |it: &Scripted| it.when.as_ref().is_none_or(|when| when.check(body).is_ok());
        let mut answers = self.answers.iter().enumerate();
        let found = answers.find(|(_, it)| it.left > 0 && fits(it));
        let last = self
            .answers
            .last()
            .filter(|_| self.repeat)
            .map(|it| (self.answers.len() - 1, it));
        let (index, answer) = found.or(last)?;
        Some((index + 1, answer))
    }

    /// Marks a response as used, by its number.
    pub(crate) fn take(&mut self, number: usize) {
        if let Some(answer) = self.answers.get_mut(number - 1) {
            answer.left = answer.left.saturating_sub(1);
        }
    }
}

impl Scripted {
    /// Returns the content as a draft for a request.
    ///
    /// Fails if a tool call without an input names a tool that the request does
    /// not have.
    pub(crate) fn draft(&self, body: &[u8]) -> Result<Draft, String> {
        let Action::Content(blocks) = &self.action else {
            return Ok(Draft::new());
        };
        let block = |block: &ScriptedBlock| match block {
            ScriptedBlock::Fixed(block) => Ok(block.clone()),
            ScriptedBlock::Call { id, name } => {
                let (name, input) = input::call(body, name.as_deref())?;
                Ok(DraftBlock::ToolUse {
                    id: id.clone(),
                    name,
                    input: RawValue::from_string(input).map_err(|it| it.to_string())?,
                })
            }
        };
        Ok(Draft {
            blocks: blocks.iter().map(block).collect::<Result<_, String>>()?,
            stop_reason: self.stop_reason.clone(),
        })
    }
}

/// The version of a script, which is read first: the rest depends on it.
#[derive(Deserialize)]
struct Version {
    version: u64,
}

/// A script. Its answers are read one by one, so that a fault has the number of
/// its answer.
#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow, default)]
    answers: Vec<&'a RawValue>,
    #[serde(default)]
    repeat: bool,
}

/// One answer: content or an error, with its conditions and times.
#[derive(Deserialize)]
struct Entry<'a> {
    when: Option<Matcher>,
    expect: Option<Matcher>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    error: Option<Failure>,
    stop_reason: Option<String>,
    #[serde(default)]
    breaks_off: bool,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    event_delay_ms: u64,
    #[serde(default)]
    advance_ms: u64,
    /// How many requests the answer is for; 1 if it is absent.
    times: Option<u64>,
}

/// The error of an answer. Without `type`, the type is that of the status.
#[derive(Deserialize)]
struct Failure {
    status: u16,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
}

/// A content block. Which keys it needs depends on its type; others are kept as
/// they are.
#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    thinking: Option<String>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

impl Entry<'_> {
    /// Checks an entry: it has either content or an error.
    fn read(self) -> Result<Scripted, String> {
        let action = match (self.content, self.error) {
            (Some(content), None) => Action::Content(blocks(content.get())?),
            (None, Some(error)) => Action::Error(error.status, error.kind, error.message),
            (None, None) => return Err("an answer has content or an error".to_owned()),
            (Some(_), Some(_)) => {
                return Err("an answer with an error has no content".to_owned());
            }
        };
        Ok(Scripted {
            when: self.when,
            expect: self.expect,
            action,
            stop_reason: self.stop_reason,
            breaks_off: self.breaks_off,
            delay: Duration::from_millis(self.delay_ms),
            event_delay: Duration::from_millis(self.event_delay_ms),
            advance: Duration::from_millis(self.advance_ms),
            left: self.times.unwrap_or(1),
        })
    }
}

/// Reads content: a text, which is one text block, or a list of blocks. A block
/// that lacks the text of its type is sent as it is written.
fn blocks(json: &str) -> Result<Vec<ScriptedBlock>, String> {
    if let Ok(text) = serde_json::from_str::<String>(json) {
        return Ok(vec![ScriptedBlock::Fixed(DraftBlock::Text(text))]);
    }
    let blocks: Vec<&RawValue> =
        serde_json::from_str(json).map_err(|_| "content is a text or a list".to_owned())?;
    let read = |raw: &&RawValue| {
        let block: Block<'_> = json::read(raw.get()).map_err(|it| format!("content: {it}"))?;
        let Block { id, name, .. } = block;
        Ok(ScriptedBlock::Fixed(
            match (&*block.kind, block.text, block.thinking, block.input) {
                ("text", Some(text), ..) => DraftBlock::Text(text),
                ("thinking", _, Some(text), _) => DraftBlock::Thinking(text),
                ("redacted_thinking", ..) => DraftBlock::RedactedThinking,
                ("tool_use", .., input) => match (name, input) {
                    (Some(name), Some(input)) => DraftBlock::ToolUse {
                        id,
                        name,
                        input: input.to_owned(),
                    },
                    (name, _) => return Ok(ScriptedBlock::Call { id, name }),
                },
                _ => DraftBlock::Raw((*raw).to_owned()),
            },
        ))
    };
    blocks.iter().map(read).collect()
}

impl ScriptError {
    fn new(error: impl fmt::Display) -> Self {
        Self {
            detail: error.to_string(),
        }
    }
}
