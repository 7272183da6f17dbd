//! A session's tools: the `aside run` tools, none, or those in a file.

use std::path::Path;

use anyhow::{Context, anyhow};
use aside_diagnostic::Diagnostic;
use aside_messages::wire::Tool;
use aside_session::{SessionConfig, SessionTool, ToolOrigin};
use aside_tools::{OwnTools, snip_definition};

use crate::arguments::ToolChoice;
use crate::input;
use crate::kinds;
use crate::output;

/// Returns a session's tools; `own` are the `aside run` tools. Message ids
/// always come with the Snip tool.
///
/// # Errors
/// Fails when a file cannot be read, and for coordinator mode without a worker
/// tool of its own name: the prompt names this tool, and the model could not call it. When the
/// tools come from a file, this is a warning.
pub(crate) fn offered(
    config: &SessionConfig,
    choice: &ToolChoice,
    own: OwnTools<'_>,
) -> anyhow::Result<Vec<SessionTool>> {
    let coordinator = config.prompt.coordinator.as_ref();
    let mut tools = match choice {
        ToolChoice::Own if coordinator.is_some() && own.worker.is_none() => {
            return Err(anyhow!(
                "coordinator mode needs a tool that starts workers: give it a name with \
                 --worker-tool, such as --worker-tool Agent"
            ));
        }
        ToolChoice::None if coordinator.is_some() => {
            return Err(anyhow!(
                "coordinator mode needs a tool that starts workers: name a file that has it \
                 with --tools"
            ));
        }
        ToolChoice::Own => {
            let tools = own.definitions();
            let named = |name: &&str| tools.iter().filter(|it| it.tool.name == **name).count();
            if let Some(name) = own.worker.filter(|name| named(name) > 1) {
                return Err(anyhow!(
                    "the worker tool cannot be named {name}: another tool has this name"
                ));
            }
            return Ok(tools);
        }
        ToolChoice::None => Vec::new(),
        ToolChoice::File(file) => {
            let tools = read(file)?;
            if let Some(coordinator) = coordinator {
                warn_of_worker_tool(&coordinator.worker_tool, &tools);
            }
            tools
        }
    };
    if config.lower.tag_ids {
        tools.push(snip_definition());
    }
    Ok(tools)
}

/// Reports that the coordinator prompt names a tool that is not there.
fn warn_of_worker_tool(name: &str, tools: &[SessionTool]) {
    if !tools.iter().any(|it| it.tool.name == name) {
        let message = format!(
            "the coordinator's prompt names the tool {name}, which is not in the tools: \
             name another with --worker-tool"
        );
        output::report(&kinds::WORKER_TOOL.diagnostic(message));
    }
}

/// Reads tools from a file: a JSON array, as in the Messages API.
///
/// A tool that cannot be read is reported and left out; text that is not a JSON
/// array is an error.
fn read(file: &Path) -> anyhow::Result<Vec<SessionTool>> {
    let failed = || format!("failed to read {}", file.display());
    let json = input::text(file, input::MAX_CONVERSATION_BYTES)?;
    let parsed = Tool::parse_list(json.as_bytes())
        .map_err(|error| anyhow!("{error}"))
        .with_context(failed)?;
    for fault in &parsed.diagnostics {
        output::report(&Diagnostic::from(fault).at(file));
    }
    Ok(parsed.value.into_iter().map(of_session).collect())
}

/// Returns a tool with its origin: a name that begins with `mcp__` belongs to
/// an MCP server. Definitions in a file are not the program's own, whatever
/// their names: other agents name server tools differently.
fn of_session(tool: Tool) -> SessionTool {
    let origin = if tool.name.starts_with("mcp__") { ToolOrigin::Mcp } else { ToolOrigin::Builtin };
    SessionTool { origin, tool }.neutralized()
}
