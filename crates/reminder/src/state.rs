use std::sync::Arc;
use std::time::Duration;

use aside_messages::wire::Message;

/// A conversation's state, as conditions see it. The counts continue when a
/// session is resumed.
///
/// ```
/// use aside_reminder::{ConversationState, RecentCall};
///
/// let calls = [RecentCall::new("Edit", r#"{"file_path":"main.rs"}"#)];
/// let state = ConversationState {
///     turn: 3,
///     last_tool_calls: &calls,
///     ..ConversationState::default()
/// };
/// assert_eq!(state.last_tool_calls[0].name.as_ref(), "Edit");
/// ```
///
/// A minor version may add fields: end yours with `..Default::default()`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConversationState<'a> {
    /// How many requests this session sent before.
    pub turn: u64,
    /// How many messages the conversation has.
    pub message_count: u64,
    /// The tool calls in the model's last message.
    pub last_tool_calls: &'a [RecentCall],
    /// The last tool call if the last message has one, and how often it was
    /// repeated in a row.
    pub repeated: Option<RepeatedCall<'a>>,
    /// The time on the session's own clock.
    pub elapsed: Duration,
    /// The wire messages, for conditions in code; `None` if you do not supply
    /// them.
    pub messages: Option<&'a [Message]>,
}

/// A tool call. Clones share the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentCall {
    /// The name of the tool.
    pub name: Arc<str>,
    /// The input as JSON text.
    pub input: Arc<str>,
}

/// A tool called with the same input several times in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatedCall<'a> {
    /// The name of the tool.
    pub tool: &'a str,
    /// How many calls, at least 1.
    pub times: u64,
}

impl RecentCall {
    /// Creates a call to the tool `name` with `input`, a JSON text.
    pub fn new(name: impl Into<Arc<str>>, input: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), input: input.into() }
    }
}
