//! Scripts: the responses of the server and their conditions.

use std::fmt;
use std::time::Duration;

use aside_user_files::json;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::input;
use super::matcher::Matcher;
use crate::strict::Draft;

const VERSION: u64 = 1;

/// The answers of a server, in order.
///
/// A cassette of `aside run --replay` is a script. A script may also have, for
/// each answer:
///
/// | key | value |
/// |---|---|
/// | `when` | a matcher, as in `expect`: the answer is left for a request that it fits |
/// | `times` | how many requests it answers, by default 1 |
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
    repeat: bool,
}

/// One response of a script.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scripted {
    pub(crate) when: Option<Matcher>,
    pub(crate) expect: Option<Matcher>,
    pub(crate) action: Action,
    pub(crate) stop_reason: Option<String>,
    pub(crate) breaks_off: bool,
    pub(crate) delay: Duration,
    pub(crate) event_delay: Duration,
    pub(crate) advance: Duration,
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
    Text(String),
    Thinking(String),
    RedactedThinking,
    /// A tool call; missing parts are chosen from the tools of the request.
    ToolUse {
        id: Option<String>,
        name: Option<String>,
        input: Option<String>,
    },
    Raw(String),
}

/// Why a script was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        let polite = [
            ScriptedBlock::Thinking("No script answers this request.".to_owned()),
            ScriptedBlock::Text("This answer is fixed: no model was asked.".to_owned()),
        ];
        Self {
            answers: vec![Scripted {
                action: Action::Content(polite.into()),
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
    pub(crate) fn draft(&self, body: &[u8]) -> Result<Draft, String> {
        let mut draft = Draft::new();
        let Action::Content(blocks) = &self.action else {
            return Ok(draft);
        };
        for block in blocks {
            draft = match block {
                ScriptedBlock::Text(text) => draft.text(text),
                ScriptedBlock::Thinking(text) => draft.thinking(text),
                ScriptedBlock::RedactedThinking => draft.redacted_thinking(),
                ScriptedBlock::Raw(raw) => draft.block(raw).map_err(|it| it.to_string())?,
                ScriptedBlock::ToolUse { id, name, input } => {
                    let call = match (name, input) {
                        (Some(name), Some(input)) => (name.clone(), input.clone()),
                        (name, _) => input::call(body, name.as_deref())?,
                    };
                    let (name, input) = call;
                    match id {
                        Some(id) => draft.tool_use_with_id(id, &name, &input),
                        None => draft.tool_use(&name, &input),
                    }
                    .map_err(|it| it.to_string())?
                }
            };
        }
        Ok(match &self.stop_reason {
            Some(reason) => draft.stop_reason(reason),
            None => draft,
        })
    }
}

#[derive(Deserialize)]
struct Version {
    version: u64,
}

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow, default)]
    answers: Vec<&'a RawValue>,
    #[serde(default)]
    repeat: bool,
}

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
    times: Option<u64>,
}

#[derive(Deserialize)]
struct Failure {
    status: u16,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
}

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

/// Reads a text or a list of blocks.
fn blocks(json: &str) -> Result<Vec<ScriptedBlock>, String> {
    if let Ok(text) = serde_json::from_str::<String>(json) {
        return Ok(vec![ScriptedBlock::Text(text)]);
    }
    let blocks: Vec<&RawValue> =
        serde_json::from_str(json).map_err(|_| "content is a text or a list".to_owned())?;
    let read = |raw: &&RawValue| {
        let block: Block<'_> = json::read(raw.get()).map_err(|it| format!("content: {it}"))?;
        Ok(match (&*block.kind, block.text, block.thinking) {
            ("text", Some(text), _) => ScriptedBlock::Text(text),
            ("thinking", _, Some(text)) => ScriptedBlock::Thinking(text),
            ("redacted_thinking", ..) => ScriptedBlock::RedactedThinking,
            ("tool_use", ..) => ScriptedBlock::ToolUse {
                id: block.id,
                name: block.name,
                input: block.input.map(|input| input.get().to_owned()),
            },
            _ => ScriptedBlock::Raw(raw.get().to_owned()),
        })
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

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for ScriptError {}
