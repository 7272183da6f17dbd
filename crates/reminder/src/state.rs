use std::sync::Arc;
use std::time::Duration;

use aside_messages::wire::Message;

/// What a reminder may look at to decide: read only, and borrowed. All of it
/// goes on where a session is resumed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConversationState<'a> {
    /// Requests that were sent in this session, from 0.
    pub turn: u64,
    /// Messages in the conversation.
    pub message_count: u64,
    /// The calls in the last message of the model.
    pub last_tool_calls: &'a [Call],
    /// The tool that was called with the same input in a row, up to now.
    pub repeated: Option<Repeated<'a>>,
    /// The session's own clock: the only one there is.
    pub elapsed: Duration,
    /// The messages as they are on the wire, for conditions in code; `None`
    /// where the caller has none at hand.
    pub messages: Option<&'a [Message]>,
}

/// A call of a tool. Cloning shares the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The tool.
    pub name: Arc<str>,
    /// The input, as JSON text.
    pub input: Arc<str>,
}

/// A tool that was called with the same input in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated<'a> {
    /// The tool.
    pub tool: &'a str,
    /// How often, at least 1.
    pub times: u64,
}

impl Call {
    /// A call of `name` with `input`, JSON text.
    pub fn new(name: impl Into<Arc<str>>, input: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            input: input.into(),
        }
    }
}
