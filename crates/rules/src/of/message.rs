//! Messages and content blocks.

/// Returns true if a message of the role has to have content (rule `empty-content`). System
/// messages have rules of their own.
#[must_use]
pub fn needs_content(role: &str, place: Place) -> bool {
    match role {
        "system" => false,
        "assistant" => place == Place::Within,
        _ => true,
    }
}

/// The place of a message in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Another message follows.
    Within,
    /// It is the last message.
    Last,
}

impl Place {
    /// Returns the place of the message at `index` among `count` messages.
    #[must_use]
    pub const fn new(index: usize, count: usize) -> Self {
        if index + 1 < count {
            Self::Within
        } else {
            Self::Last
        }
    }
}

/// Returns true if the result of a failed tool takes blocks of a type (rule `error-content`).
#[must_use]
pub fn is_error_content(kind: &str) -> bool {
    kind == "text"
}

/// Returns true for the types of results of tools that the API runs, such as
/// `web_search_tool_result`; `tool_result` is the result of a tool of the caller.
#[must_use]
pub fn is_server_result(kind: &str) -> bool {
    kind.ends_with("_tool_result")
}

/// Returns true if the response whose last block has this type was paused, so that the API
/// continues it.
#[must_use]
pub fn is_paused(last_kind: &str) -> bool {
    is_server_result(last_kind) || matches!(last_kind, "server_tool_use" | "mcp_tool_use")
}
