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
    /// A call of a tool.
    ToolUse,
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

/// Returns the kind that a `type` names.
///
/// `default` is the list's kind: every element of the tools is a tool.
pub(super) fn kind_of(name: &str, default: BlockKind) -> BlockKind {
    match name {
        _ if default == BlockKind::Tool && name.starts_with("web_search") => BlockKind::SystemTool,
        _ if default == BlockKind::Tool => BlockKind::Tool,
        "text" | "input_text" | "output_text" => BlockKind::Text,
        "image" | "input_image" | "image_url" => BlockKind::Image,
        "thinking" | "redacted_thinking" | "reasoning" => BlockKind::Thinking,
        "tool_use" | "function_call" | "custom_tool_call" => BlockKind::ToolUse,
        "tool_result" | "function_call_output" | "custom_tool_call_output" => BlockKind::ToolResult,
        "compaction" => BlockKind::Compaction,
        _ if name.ends_with("_tool_result") => BlockKind::ServerToolResult,
        _ => BlockKind::Other,
    }
}
