//! The arguments for MCP servers, of `aside run` and `aside context`.

use clap::Args;

/// The MCP servers that a command starts. Without these arguments, none is.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "MCP servers")]
pub(crate) struct McpArguments {
    /// Start the MCP servers of ~/.claude.json, of the settings (mcpServers),
    /// and those of the project's .mcp.json that you approved. The model gets
    /// their tools and instructions, and @SERVER:URI in a prompt is a resource.
    #[arg(long)]
    pub(crate) mcp: bool,

    /// Start the MCP servers of a file in the form of .mcp.json, or of JSON;
    /// without --mcp only these. May be given several times.
    #[arg(long, value_name = "FILE|JSON")]
    pub(crate) mcp_config: Vec<String>,

    /// With --mcp, approve a server of the project's .mcp.json and start it. The
    /// approval is remembered until its command or address changes. May be given
    /// several times.
    #[arg(long, value_name = "NAME", requires = "mcp")]
    pub(crate) approve_mcp: Vec<String>,
}

impl McpArguments {
    /// Returns true if a server is to be started.
    pub(crate) fn is_given(&self) -> bool {
        self.mcp || !self.mcp_config.is_empty()
    }
}
