use aside_attachments::{McpContent, McpResource, McpServerInstructions};
use aside_claudemd::indent_headers;
use aside_messages::wire::{RawJson, Tool};
use serde::{Deserialize, Serialize};

use crate::tools::{SessionTool, ToolOrigin};

/// A connected MCP server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// The server's instructions on how to use its tools.
    #[serde(default)]
    pub instructions: Option<String>,
    /// Its tools.
    #[serde(default)]
    pub tools: Vec<McpTool>,
    /// Resources that the user can mention, with their contents.
    #[serde(default)]
    pub resources: Vec<McpServerResource>,
}

/// A tool on an [`McpServer`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct McpTool {
    /// The name that the model calls it by, such as `mcp__docs__search`.
    pub name: String,
    /// Its description, written by the server.
    #[serde(default)]
    pub description: String,
    /// The JSON Schema for its input; by default any object.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub input_schema: Option<RawJson>,
    /// Whether the model sees it only after searching for it.
    #[serde(default)]
    pub defer_loading: bool,
}

/// A resource on an [`McpServer`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct McpServerResource {
    /// The address to mention it by, after the server's name and a colon.
    pub uri: String,
    /// Its name on the server.
    pub name: String,
    /// Its contents, as the server returned them.
    #[serde(default)]
    pub contents: Vec<McpContent>,
}

impl McpServer {
    pub(crate) fn session_tools(&self) -> impl Iterator<Item = SessionTool> + '_ {
        self.tools.iter().map(McpTool::session_tool)
    }

    /// Returns the instructions; a line that looks like a header of the session, such as one of
    /// `headings`, is indented.
    pub(crate) fn instructions(&self, headings: &[&str]) -> Option<McpServerInstructions> {
        let text = self.instructions.as_deref()?.trim_start();
        let (server, instructions) = (self.name.clone(), indent_headers(text, headings));
        (!text.is_empty())
            .then(|| McpServerInstructions { server, instructions: instructions.into_owned() })
    }

    pub(crate) fn resource(&self, uri: &str) -> Option<McpResource> {
        let found = self.resources.iter().find(|it| it.uri == uri)?;
        Some(McpResource {
            server: self.name.clone(),
            uri: found.uri.clone(),
            name: found.name.clone(),
            contents: found.contents.clone(),
        })
    }
}

impl McpTool {
    fn session_tool(&self) -> SessionTool {
        let schema = self.input_schema.clone().unwrap_or_else(|| {
            RawJson::parse(r#"{"type":"object"}"#).expect("the literal is valid JSON")
        });
        let tool = Tool::new(&self.name, &self.description, schema);
        SessionTool {
            origin: ToolOrigin::Mcp,
            tool: Tool { defer_loading: self.defer_loading.then_some(true), ..tool },
        }
    }
}
