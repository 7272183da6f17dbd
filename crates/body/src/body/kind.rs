//! Block kinds, by every wire's names.

/// A block's kind, as far as caching rules care.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockKind {
    /// A tool definition.
    Tool,
    /// A tool of the Messages API whose presence belongs to the system level (web search).
    SystemTool,
    /// Text.
    Text,
    /// An image.
    Image,
    /// Thinking, redacted thinking, a reasoning item.
    Thinking,
    /// A call of one of the caller's tools.
    ToolUse,
    /// A call of a tool that the provider runs.
    ServerToolUse,
    /// A result from one of the caller's tools.
    ToolResult,
    /// A result from a tool that the provider runs.
    ServerToolResult,
    /// A summary that replaces the messages before it.
    Compaction,
    /// Anything else.
    #[default]
    Other,
}

impl BlockKind {
    /// Returns the kind that a block's `type` names, in a message or as an item of its own.
    ///
    /// ```
    /// use aside_body::body::BlockKind;
    ///
    /// assert_eq!(BlockKind::of("shell_call_output"), BlockKind::ToolResult);
    /// assert_eq!(BlockKind::of("shell_call"), BlockKind::ToolUse);
    /// assert_eq!(BlockKind::of("web_search_call"), BlockKind::ServerToolUse);
    /// ```
    #[must_use]
    pub fn of(name: &str) -> Self {
        kind_of(name, Self::Other)
    }

    /// Returns true for a call, whoever runs the tool.
    #[must_use]
    pub fn is_call(self) -> bool {
        matches!(self, Self::ToolUse | Self::ServerToolUse)
    }
}

/// Returns the kind that a `type` names.
///
/// `default` is the list's kind: every element of the tools is a tool.
pub(super) fn kind_of(name: &str, default: BlockKind) -> BlockKind {
    match name {
        _ if default == BlockKind::Tool && name.starts_with("web_search") => BlockKind::SystemTool,
        _ if default == BlockKind::Tool => BlockKind::Tool,
        "text" | "input_text" | "output_text" => BlockKind::Text,
        "image" | "input_image" | "image_url" | "computer_screenshot" => BlockKind::Image,
        "thinking" | "redacted_thinking" | "reasoning" => BlockKind::Thinking,
        "tool_use" => BlockKind::ToolUse,
        "server_tool_use"
        | "mcp_tool_use"
        | "program"
        | "mcp_call"
        | "web_search_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "image_generation_call" => BlockKind::ServerToolUse,
        "tool_result" | "tool_search_output" => BlockKind::ToolResult,
        "compaction" => BlockKind::Compaction,
        "program_output" => BlockKind::ServerToolResult,
        _ if name.ends_with("_tool_result") => BlockKind::ServerToolResult,
        // Responses has an item for each kind of tool, such as `custom_tool_call`.
        _ if name.ends_with("_call") => BlockKind::ToolUse,
        _ if name.ends_with("_call_output") => BlockKind::ToolResult,
        _ => BlockKind::Other,
    }
}
