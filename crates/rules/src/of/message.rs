//! Messages and content blocks.

/// Returns true if a message with this role must have content (rule `empty-content`). System
/// messages have rules of their own.
#[must_use]
pub fn needs_content(role: &str, place: Place) -> bool {
    match role {
        "system" => false,
        "assistant" => place == Place::Within,
        _ => true,
    }
}

/// Where a message is in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Another message follows.
    Within,
    /// It is the last message.
    Last,
}

impl Place {
    /// Finds the place of the message at `index` among `count` messages.
    #[must_use]
    pub const fn new(index: usize, count: usize) -> Self {
        if index + 1 < count { Self::Within } else { Self::Last }
    }
}

/// Returns true if a failed tool's result may have blocks of this type (rule `error-content`).
#[must_use]
pub fn is_error_content(kind: &str) -> bool {
    kind == "text"
}

/// Returns true for result types of tools that the API runs, such as `web_search_tool_result`;
/// `tool_result` is for your own tools.
#[must_use]
pub fn is_server_result(kind: &str) -> bool {
    kind.ends_with("_tool_result")
}

/// Returns true if a response whose last block has this type was paused, so that the API continues
/// it.
#[must_use]
pub fn is_paused(last_kind: &str) -> bool {
    is_server_result(last_kind) || matches!(last_kind, "server_tool_use" | "mcp_tool_use")
}

/// Returns true if data have only base64's characters, in either alphabet.
pub(crate) fn is_base64(data: &str) -> bool {
    let is_of_alphabet = |it: u8| it.is_ascii_alphanumeric() || b"+/-_\r\n".contains(&it);
    data.trim_end_matches('=').bytes().all(is_of_alphabet)
}
