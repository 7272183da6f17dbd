//! Converting a server's lists for a session.

use aside_diagnostic::Diagnostic;
use aside_messages::wire::RawJson;
use aside_session::{McpServerResource, McpTool};
use aside_text::one_line;
use rmcp::RoleClient;
use rmcp::model::{
    ClientRequest, ListResourcesRequest, ListToolsRequest, PaginatedRequestParams, ServerResult,
    Tool,
};
use rmcp::service::{Peer, ServiceError};
use serde::Deserialize;
use serde_json::Value;

use super::{kinds, results};

/// How many tools one server may have. A session also has the limit of its provider, for all.
const MAX_TOOLS: usize = 128;
/// How many resources per server a prompt can mention by name.
const MAX_RESOURCES: usize = 1_000;
const MAX_PAGES: usize = 100;
/// The limit for a description, and for instructions.
const MAX_TEXT_BYTES: usize = 16 * 1024;
const MAX_SCHEMA_BYTES: usize = 64 * 1024;

/// A tool as the session has it, and its name at the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ListedTool {
    pub(crate) tool: McpTool,
    pub(crate) remote_name: String,
    /// True if the server says that its calls change nothing, or the same again.
    pub(crate) is_repeatable: bool,
}

/// Lists a server's tools, sorted by name.
///
/// # Errors
///
/// The server does not list them. A tool that cannot be used becomes a
/// diagnostic.
pub(crate) async fn tools(
    peer: &Peer<RoleClient>,
    server: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<ListedTool>, ServiceError> {
    let (mut tools, mut cursor) = (Vec::new(), None);
    let mut faulty = 0;
    for _ in 0..MAX_PAGES {
        let request = ListToolsRequest::with_param(page_after(cursor.take()));
        let result = peer.send_request(ClientRequest::ListToolsRequest(request));
        let mut page = results::json(result.await?);
        let items = results::take_items::<Value>(&mut page, "tools");
        for item in items.ok_or(ServiceError::UnexpectedResponse)?.flatten() {
            match tool(&item) {
                Ok(tool) => tools.push(tool),
                Err(fault) => {
                    faulty += 1;
                    let name = item["name"].as_str().unwrap_or("without a name");
                    leave_out(server, name, fault, diagnostics);
                }
            }
        }
        cursor = page["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() || tools.len() + faulty > 10 * MAX_TOOLS {
            break;
        }
    }
    if cursor.is_some() {
        let message = not_listed(server, "tools", tools.len() + faulty);
        diagnostics.push(kinds::TOOL.diagnostic(message));
    }
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    if tools.len() > MAX_TOOLS {
        let message = format!(
            "the MCP server {} lists {} tools: only the first {MAX_TOOLS} by name are offered",
            one_line(server),
            tools.len()
        );
        diagnostics.push(kinds::TOOL.diagnostic(message));
        tools.truncate(MAX_TOOLS);
    }
    let listed = tools.into_iter();
    Ok(listed.filter_map(|tool| listed_tool(server, tool, diagnostics)).collect())
}

/// Reads a tool of a list. Fails with the reason why it cannot be used.
fn tool(item: &Value) -> Result<Tool, &'static str> {
    if item["execution"]["taskSupport"] == "required" {
        return Err("it has to be called as a task, which is not supported");
    }
    Tool::deserialize(item).map_err(|_| "its definition is not valid")
}

/// Returns the message for a list that goes on after the last page that is read.
fn not_listed(server: &str, what: &str, count: usize) -> String {
    let server = one_line(server);
    format!(
        "the MCP server {server} lists more {what} than the first {count}: the rest is left out"
    )
}

/// Lists a server's resources, without their contents. Those above the limit become a diagnostic.
///
/// # Errors
///
/// The server does not list them.
pub(crate) async fn resources(
    peer: &Peer<RoleClient>,
    server: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<McpServerResource>, ServiceError> {
    let (mut resources, mut cursor) = (Vec::new(), None);
    for _ in 0..MAX_PAGES {
        let request = ListResourcesRequest::with_param(page_after(cursor.take()));
        let result = peer.send_request(ClientRequest::ListResourcesRequest(request));
        let ServerResult::ListResourcesResult(page) = result.await? else {
            return Err(ServiceError::UnexpectedResponse);
        };
        resources.extend(page.resources.into_iter().map(|resource| McpServerResource {
            uri: resource.uri,
            name: resource.name,
            contents: Vec::new(),
        }));
        cursor = page.next_cursor;
        if cursor.is_none() || resources.len() >= MAX_RESOURCES {
            break;
        }
    }
    if cursor.is_some() || resources.len() > MAX_RESOURCES {
        let count = resources.len().min(MAX_RESOURCES);
        let message = not_listed(server, "resources", count);
        diagnostics.push(kinds::RESOURCES.diagnostic(message));
    }
    resources.truncate(MAX_RESOURCES);
    Ok(resources)
}

fn page_after(cursor: Option<String>) -> PaginatedRequestParams {
    PaginatedRequestParams::default().with_cursor(cursor)
}

/// Returns a tool under the name for the model, `mcp__server__tool`.
///
/// Schema keys are sorted: a server whose maps have no order would break the
/// cached prefix otherwise.
fn listed_tool(server: &str, tool: Tool, diagnostics: &mut Vec<Diagnostic>) -> Option<ListedTool> {
    if tool.name.is_empty() {
        leave_out(server, "without a name", "the model could not call it", diagnostics);
        return None;
    }
    let schema = Value::Object((*tool.input_schema).clone()).to_string();
    if schema.len() > MAX_SCHEMA_BYTES {
        let fault = format!("its schema has {} bytes, more than {MAX_SCHEMA_BYTES}", schema.len());
        leave_out(server, &tool.name, &fault, diagnostics);
        return None;
    }
    let of = format!("the description of the tool {}", one_line(&tool.name));
    let description = tool.description.unwrap_or_default();
    let remote_name = tool.name.into_owned();
    let is_repeatable = tool
        .annotations
        .is_some_and(|it| it.read_only_hint == Some(true) || it.idempotent_hint == Some(true));
    Some(ListedTool {
        tool: McpTool {
            name: format!("mcp__{}__{}", identifier(server), identifier(&remote_name)),
            description: cut(description.into_owned(), server, &of, diagnostics),
            input_schema: RawJson::parse(&schema).ok(),
            defer_loading: false,
        },
        remote_name,
        is_repeatable,
    })
}

/// Replaces characters that a tool name may not have.
fn identifier(name: &str) -> String {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    name.chars().map(|c| if is_valid(c) { c } else { '_' }).collect()
}

pub(crate) fn leave_out(server: &str, tool: &str, fault: &str, diagnostics: &mut Vec<Diagnostic>) {
    let (server, tool) = (one_line(server), one_line(tool));
    let message = format!("the tool {tool} of the MCP server {server} is left out: {fault}");
    diagnostics.push(kinds::TOOL.diagnostic(message));
}

/// Returns at most 16 KB of a server's text.
pub(crate) fn cut(
    mut text: String,
    server: &str,
    of: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> String {
    if text.len() > MAX_TEXT_BYTES {
        let server = one_line(server);
        let bytes = text.len();
        let message =
            format!("{of} of the MCP server {server} has {bytes} bytes: {MAX_TEXT_BYTES} are sent");
        diagnostics.push(kinds::CUT.diagnostic(message));
        text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_has_a_name_that_the_api_accepts_and_sorted_keys() {
        let json = r#"{"name":"read.file\u001b","description":"D","inputSchema":
            {"type":"object","properties":{"b":{"type":"string"},"a":{}}}}"#;
        let tool = serde_json::from_str(json).unwrap();
        let listed = listed_tool("my docs", tool, &mut Vec::new()).unwrap();
        assert_eq!(listed.tool.name, "mcp__my_docs__read_file_");
        assert_eq!(listed.remote_name, "read.file\u{1b}");
        assert_eq!(
            listed.tool.input_schema.unwrap().get(),
            r#"{"properties":{"a":{},"b":{"type":"string"}},"type":"object"}"#
        );
    }

    #[test]
    fn only_harmless_tools_are_repeatable() {
        let is_repeatable = |annotations: &str| {
            let json = format!(r#"{{"name":"t","inputSchema":{{}}{annotations}}}"#);
            let tool = serde_json::from_str(&json).unwrap();
            listed_tool("s", tool, &mut Vec::new()).unwrap().is_repeatable
        };
        assert!(!is_repeatable(""));
        assert!(!is_repeatable(r#","annotations":{"readOnlyHint":false,"title":"T"}"#));
        assert!(is_repeatable(r#","annotations":{"readOnlyHint":true}"#));
        assert!(is_repeatable(r#","annotations":{"idempotentHint":true}"#));
    }

    #[test]
    fn long_texts_and_schemas_are_reported() {
        let mut diagnostics = Vec::new();
        let text = cut("é".repeat(10_000), "s", "the description of the tool t", &mut diagnostics);
        assert_eq!(text.len(), MAX_TEXT_BYTES);
        let schema = format!(r#"{{"name":"t","inputSchema":{{"x":"{}"}}}}"#, "y".repeat(70_000));
        let tool = serde_json::from_str(&schema).unwrap();
        assert_eq!(listed_tool("s\n", tool, &mut diagnostics), None);
        let messages: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(
            messages,
            [
                "warning: the description of the tool t of the MCP server s has 20000 bytes: 16384 are sent",
                "warning: the tool t of the MCP server s\\n is left out: its schema has 70008 bytes, more than 65536",
            ]
        );
    }
}
