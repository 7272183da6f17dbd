//! MCP servers for a command: `aside run` calls their tools, `aside context`
//! only lists them.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use aside_diagnostic::Diagnostic;
use aside_host::{Host, Invocation, McpSelection};
use aside_mcp::{ConnectOptions, ServerConfig, Servers};
use tokio::time::timeout;

use crate::Failure;
use crate::arguments::McpArguments;
use crate::interrupt;
use crate::output;

/// How long servers may take before the user reads that they are awaited.
const MAX_SILENCE: Duration = Duration::from_secs(2);

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
    let (servers, faults) = interrupt::block_on(connected(configs, &options))?;
    output::report_all(faults);
    Ok(Some(Arc::new(servers)))
}

/// Waits for the servers, and reports that it does if one is slow.
async fn connected(
    configs: BTreeMap<String, ServerConfig>,
    options: &ConnectOptions,
) -> (Servers, Vec<Diagnostic>) {
    let mut connecting = pin!(Servers::connect(configs, options));
    if let Ok(connected) = timeout(MAX_SILENCE, &mut connecting).await {
        return connected;
    }
    let limit = options.start_limit.as_secs();
    output::progress("mcp", &format!("waiting for servers to respond, for {limit} s at most"));
    connecting.await
}

pub(crate) fn close(servers: Option<Arc<Servers>>) -> Result<(), Failure> {
    match servers {
        Some(servers) => interrupt::block_on(async move { servers.close().await }),
        None => Ok(()),
    }
}
