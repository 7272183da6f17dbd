//! The tools of `--tools`.

use std::path::Path;

use anyhow::{Context, anyhow};
use aside_diagnostic::Diagnostic;
use aside_messages::wire::Tool;
use aside_session::{SessionTool, ToolOrigin};

use crate::input;
use crate::output;

/// Reads the tools of a file, a JSON array as the Messages API has it.
///
/// A tool that cannot be read is reported and left out; text that is not a JSON array is
/// an error.
pub(super) fn read(file: &Path) -> anyhow::Result<Vec<SessionTool>> {
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

/// Returns a tool with its origin: a name that begins with `mcp__` is that of an MCP
/// server, whose description is text from outside.
fn of_session(tool: Tool) -> SessionTool {
    let origin = match tool.name.starts_with("mcp__") {
        true => ToolOrigin::Mcp,
        false => ToolOrigin::Builtin,
    };
    SessionTool { origin, tool }
}
