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
pub(super) fn kind_of(name: &[u8], default: BlockKind) -> BlockKind {
    match name {
        _ if default == BlockKind::Tool && name.starts_with(b"web_search") => BlockKind::SystemTool,
        _ if default == BlockKind::Tool => BlockKind::Tool,
        b"text" | b"input_text" | b"output_text" => BlockKind::Text,
        b"image" | b"input_image" | b"image_url" => BlockKind::Image,
        b"thinking" | b"redacted_thinking" | b"reasoning" => BlockKind::Thinking,
        b"tool_use" | b"function_call" | b"custom_tool_call" => BlockKind::ToolUse,
        b"tool_result" | b"function_call_output" | b"custom_tool_call_output" => {
            BlockKind::ToolResult
        }
        b"compaction" => BlockKind::Compaction,
        _ if name.ends_with(b"_tool_result") => BlockKind::ServerToolResult,
        _ => BlockKind::Other,
    }
}
