use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::byte_size::byte_size;
use crate::tag::wrapped;
use crate::truncate;

/// For all contents of a resource together.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// A server chooses the name.
const MAX_NAME_CHARS: usize = 1_000;

/// An MCP server's resource that the user mentioned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpResource {
    /// The server's name.
    pub server: String,
    /// The resource's URI.
    pub uri: String,
    /// What the server calls the resource.
    pub name: String,
    /// Its contents, in the server's order; 256 KB of their texts are sent.
    pub contents: Vec<McpContent>,
}

/// One content of an [`McpResource`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum McpContent {
    /// Text.
    Text {
        /// The text as the server sent it.
        text: String,
    },
    /// Binary data. Only a placeholder is sent.
    Blob {
        /// The media type, such as `image/png`, if the server names one.
        media_type: Option<String>,
        /// The size in bytes.
        bytes: u64,
    },
}

impl McpResource {
    pub(crate) fn into_draft(self) -> String {
        let attributes = [("server", self.server.as_str()), ("uri", self.uri.as_str())];
        let pieces: Vec<String> = self.contents.iter().filter_map(McpContent::text).collect();
        let text = if pieces.is_empty() {
            "(No content)".to_owned()
        } else {
            let name =
                one_line(truncate::first_chars(&self.name, MAX_NAME_CHARS).unwrap_or(&self.name));
            let mut text = pieces.join("\n\n");
            if text.len() > MAX_TEXT_BYTES {
                text = truncate::marked(&text, truncate::first_bytes(&text, MAX_TEXT_BYTES));
            }
            format!("\nContents of {name}:\n\n{text}\n")
        };
        wrapped("mcp-resource", &attributes, &text)
    }
}

impl McpContent {
    fn text(&self) -> Option<String> {
        match self {
            Self::Text { text } if text.trim().is_empty() => None,
            Self::Text { text } => Some(text.clone()),
            Self::Blob { media_type, bytes } => {
                let media_type = media_type.as_deref().unwrap_or("unknown type");
                let media_type = one_line(media_type);
                Some(format!("[Binary content: {media_type}, {}]", byte_size(*bytes)))
            }
        }
    }
}
