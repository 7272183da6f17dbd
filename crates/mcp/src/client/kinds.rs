aside_diagnostic::kinds! {
    /// An MCP server cannot be started or reached; its tools are left out.
    NOT_CONNECTED = error "mcp-server-not-connected";
    /// An MCP server ended or became unreachable; its tools stay in the request, and their calls fail.
    LOST = error "mcp-server-lost";
    /// An MCP server does not list its tools or resources; the earlier list stays.
    NOT_LISTED = error "mcp-list-failed";
    /// A tool of an MCP server is left out.
    TOOL = warning "mcp-tool-left-out";
    /// An MCP server lists more resources than are read; mentions of the others stay text.
    RESOURCES = warning "mcp-resources-left-out";
    /// A text of an MCP server is longer than what is sent of it.
    CUT = warning "mcp-text-cut";
    /// An MCP server wrote text that is not Unicode, such as half a surrogate pair; U+FFFD is in its place.
    NOT_UNICODE = warning "mcp-text-not-unicode";
    /// A resource that the user mentions cannot be read; the mention stays text.
    RESOURCE = warning "mcp-resource-not-read";
}
