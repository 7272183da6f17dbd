//! MCP servers for a command: `aside run` calls their tools, `aside context`
//! only lists them.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use aside_host::{Host, Invocation, McpSelection};
use aside_mcp::{ConnectOptions, Servers};

use crate::Failure;
use crate::arguments::McpArguments;
use crate::interrupt;
use crate::output;

/// What to do with tool calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    Sent,
    /// `aside context` changes nothing, so it does not even run a call left
    /// open in a resumed session.
    Refused,
}

/// Starts the servers, and reports those that fail; `None` when the arguments
/// name none.
pub(crate) fn connect(
    invocation: &Invocation,
    arguments: &McpArguments,
    calls: Calls,
) -> Result<Option<Arc<Servers>>, Failure> {
    if !arguments.is_given() {
        return Ok(None);
    }
    let selection = McpSelection {
        configured: arguments.mcp,
        given: arguments.mcp_config.clone(),
        approved: arguments.approve_mcp.clone(),
    };
    let mut faults = Vec::new();
    let configs = invocation
        .mcp_servers(&selection, &mut faults)
        .context("failed to use --mcp-config")
        .map_err(Failure::usage)?;
    output::report_all(faults);
    for (name, config) in &configs {
        output::detail(|| format!("MCP server {name}: {}", config.summary()));
    }
    let cwd = invocation.command_line.cwd.clone();
    let mut options = ConnectOptions::new(cwd, Host::program_variables(&invocation.environment));
    if calls == Calls::Refused {
        options.call_limit = Duration::ZERO;
    }
    let (servers, faults) = interrupt::block_on(Servers::connect(configs, &options))?;
    output::report_all(faults);
    Ok(Some(Arc::new(servers)))
}

pub(crate) fn close(servers: Option<Arc<Servers>>) -> Result<(), Failure> {
    match servers {
        Some(servers) => interrupt::block_on(async move { servers.close().await }),
        None => Ok(()),
    }
}
