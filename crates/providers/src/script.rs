//! Scripts: responses to give instead of a model, in order.
//!
//! ```json
//! {
//!   "version": 1,
//!   "answers": [
//!     {
//!       "expect": {"messages": 1, "last": ["hello"], "tools": ["Read"]},
//!       "content": [{"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a.md"}}],
//!       "usage": {"input_tokens": 900, "output_tokens": 12}
//!     },
//!     {"error": {"status": 529, "type": "overloaded_error", "message": "Overloaded"}, "times": 2},
//!     {"content": "It is emp", "breaks_off": true},
//!     {"when": {"last": ["weather"]}, "content": "It rains.", "stop_reason": "end_turn"}
//!   ],
//!   "repeat": false
//! }
//! ```
//!
//! | key | value |
//! |---|---|
//! | `version` | 1 |
//! | `answers` | the responses, in order |
//! | `repeat` | the last response is repeated for every further request; otherwise these fail |
//!
//! | key of an answer | value |
//! |---|---|
//! | `content` | content blocks of the Messages API, or a text |
//! | `error` | instead of `content`: the request fails with `status`, `type` and `message` |
//! | `stop_reason` | by default `tool_use` if a tool is called, else `end_turn` |
//! | `usage` | `input_tokens`, `cache_creation_input_tokens`, `cache_read_input_tokens`, `output_tokens`; by default 0. A server counts by itself |
//! | `breaks_off` | the stream ends within the last block |
//! | `when` | the response is left for a request that meets these conditions |
//! | `expect` | conditions on the request; one that does not meet them is refused |
//! | `times` | how many requests the response is for, by default 1 |
//! | `delay_ms` | the time before the response of a server begins |
//! | `event_delay_ms` | the time between two events of a server's stream |
//! | `advance_ms` | moves the server's clock before the request is judged |
//!
//! | condition | meaning |
//! |---|---|
//! | `model` | the model |
//! | `messages` | the number of messages, without those of the role `system` |
//! | `last` | texts that the last message (of another role than `system`) contains, in its texts and results |
//! | `anywhere` | texts that any message or the system prompt contains |
//! | `tools` | the names of the tools, in order |
//! | `has_tool` | the name of a tool that the request has, among any others; `mcp__docs__read` is also `docs_read` |
//!
//! A `thinking` block needs no `signature`, a `redacted_thinking` block no `data`, and a
//! `tool_use` block no `id`, `name` or `input`: whoever plays the script fills them in.
//! To call a tool of any agent, write what the call is for instead of its name:
//! `{"type": "tool_use", "reads": "/src/a.md"}` or `{"type": "tool_use", "delegates": "Count
//! the files."}`. A server then chooses the tool; `aside run --replay` refuses the answer.
//! Other keys are ignored. A file that needs later features has a higher version, and is
//! refused. `script.schema.json` describes the same form as a JSON Schema.

mod expectation;
mod read;

use std::time::Duration;

use aside_messages::wire::{ContentBlock, RawJson};
use aside_models::Usage;

pub use expectation::{Expectation, is_named};

use crate::{ErrorBody, StopReason};

/// The responses that a script has left to give.
///
/// ```
/// use aside_providers::script::Script;
///
/// let script = Script::parse("hello.json", r#"{"version":1,"answers":[{"content":"Hello."}]}"#)?;
/// assert!(script.next(|_| true).is_some());
/// # Ok::<(), aside_providers::script::ScriptError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Script {
    name: String,
    answers: Vec<ScriptedAnswer>,
    repeat: bool,
}

/// One response in a [`Script`].
#[derive(Clone, Debug, Default)]
pub struct ScriptedAnswer {
    /// Which requests this response is reserved for; `None` for any request.
    pub when: Option<Expectation>,
    /// What the request has to meet; `None` for any request.
    pub expect: Option<Expectation>,
    /// The message or error to send.
    pub reply: Reply,
    /// The stop reason; `None` to choose it by the content.
    pub stop_reason: Option<String>,
    /// Token counts; those that the script leaves out are 0.
    pub usage: Usage,
    /// True to end the stream before its last block ends.
    pub breaks_off: bool,
    /// How long to wait before the response begins.
    pub delay: Duration,
    /// How long to wait before each event in a stream.
    pub event_delay: Duration,
    /// How far to move the clock before this request is judged.
    pub advance: Duration,
    /// How many more requests get this response.
    times: u64,
}

/// A message to send, or an error instead.
#[derive(Clone, Debug)]
pub enum Reply {
    /// The message's blocks.
    Content(Vec<ScriptedBlock>),
    /// An error with this HTTP status.
    Error(u16, ErrorBody),
}

impl Default for Reply {
    fn default() -> Self {
        Self::Content(Vec::new())
    }
}

/// One block in a response.
#[derive(Clone, Debug)]
pub enum ScriptedBlock {
    /// Thinking without a signature.
    Thinking(String),
    /// Thinking that only its provider can read, without its data.
    RedactedThinking,
    /// A tool call without an id, a name or an input.
    ToolUse {
        /// By default a new id.
        id: Option<String>,
        /// By default the request's first tool.
        name: Option<String>,
        /// By default an input that the tool accepts.
        input: Option<RawJson>,
        /// What to call a tool for, if you give no name.
        purpose: Option<CallPurpose>,
    },
    /// A complete block.
    Block(ContentBlock),
}

/// What a scripted call is for. Agents name the same tools differently, so the server chooses a
/// tool from the request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallPurpose {
    /// To read the file at this path (`reads`).
    Read(String),
    /// To give this task to a sub-agent (`delegates`).
    Delegate(String),
}

/// Why a file cannot be read as a [`Script`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{line}: {detail}")]
pub struct ScriptError {
    name: String,
    line: usize,
    detail: String,
}

impl ScriptError {
    /// Returns the line with the error, 1-based.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }
}

impl Script {
    /// Parses a script; errors call it `name`.
    ///
    /// # Errors
    ///
    /// When the text is not JSON, has another version, or has an invalid response.
    pub fn parse(name: impl Into<String>, json: &str) -> Result<Self, ScriptError> {
        read::script(name.into(), json)
    }

    /// Creates a script to give each response to one request; every further one fails.
    #[must_use]
    pub fn from_answers(answers: Vec<ScriptedAnswer>) -> Self {
        let for_one = |answer| ScriptedAnswer { times: 1, ..answer };
        Self {
            name: String::new(),
            answers: answers.into_iter().map(for_one).collect(),
            repeat: false,
        }
    }

    /// Appends another script's responses, which keep their conditions.
    #[must_use]
    pub fn followed_by(mut self, next: Self) -> Self {
        self.answers.extend(next.answers);
        self.repeat = next.repeat;
        self
    }

    /// Returns the name to use in errors.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns how many responses there are, including used ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Returns true if the script has no responses.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Returns the response with this number, 1-based.
    #[must_use]
    pub fn answer(&self, number: usize) -> Option<&ScriptedAnswer> {
        self.answers.get(number.checked_sub(1)?)
    }

    /// Returns the next response with its number, 1-based: the first one left whose `when` this
    /// request meets. `None` if there is none.
    ///
    /// A response stays until you [take](Self::take) it, so a refused request uses none.
    pub fn next(
        &self,
        mut meets: impl FnMut(&Expectation) -> bool,
    ) -> Option<(usize, &ScriptedAnswer)> {
        let mut numbered = (1..).zip(&self.answers);
        let found = numbered
            .find(|(_, answer)| answer.times > 0 && answer.when.as_ref().is_none_or(&mut meets));
        let last = self.answers.last().filter(|_| self.repeat);
        found.or(last.map(|answer| (self.answers.len(), answer)))
    }

    /// Returns the numbers, 1-based, of responses without `when` that no request has used yet. A
    /// last response that repeats does not count once it was used.
    pub fn unused(&self) -> impl Iterator<Item = usize> + '_ {
        let numbered = (1..).zip(&self.answers);
        let left = numbered.filter(|(_, answer)| answer.times > 0 && answer.when.is_none());
        left.map(|(number, _)| number)
    }

    /// Marks this response as used once.
    pub fn take(&mut self, number: usize) {
        if let Some(answer) = self.answers.get_mut(number.wrapping_sub(1)) {
            answer.times = answer.times.saturating_sub(1);
        }
    }
}

impl ScriptedAnswer {
    /// Creates a response with these blocks.
    #[must_use]
    pub fn from_content(content: Vec<ScriptedBlock>) -> Self {
        Self { reply: Reply::Content(content), ..Self::default() }
    }

    /// Returns what its calls are for that name no tool.
    pub fn purposes(&self) -> impl Iterator<Item = &CallPurpose> {
        let blocks = match &self.reply {
            Reply::Content(blocks) => &blocks[..],
            _ => &[],
        };
        blocks.iter().filter_map(|block| match block {
            ScriptedBlock::ToolUse { purpose, .. } => purpose.as_ref(),
            _ => None,
        })
    }

    /// Returns the stop reason in the script, or else the one for its content.
    #[must_use]
    pub fn stop_reason(&self) -> StopReason {
        let is_call = |block: &ScriptedBlock| {
            use ScriptedBlock::{Block, ToolUse};
            matches!(block, ToolUse { .. } | Block(ContentBlock::ToolUse(_)))
        };
        match (&self.stop_reason, &self.reply) {
            (Some(reason), _) => StopReason::from(reason.clone()),
            (None, Reply::Content(blocks)) if blocks.iter().any(is_call) => StopReason::ToolUse,
            (None, _) => StopReason::EndTurn,
        }
    }
}

impl ScriptedBlock {
    /// Creates a text block.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Block(ContentBlock::text(text))
    }

    /// Reads message content: a text, or a list of blocks.
    ///
    /// # Errors
    ///
    /// Returns the path to the fault and what was expected there.
    pub fn parse_list(json: &str) -> Result<Vec<Self>, String> {
        read::content(json)
    }
}
