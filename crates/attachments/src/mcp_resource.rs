use aside_messages::conversation::EntryDraft;
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::cut;
use crate::draft::reminder;
use crate::size::size;
use crate::tag::wrapped;

/// The most bytes of one text of a resource.
const TEXT_BYTES: usize = 256 * 1024;

/// A resource of an MCP server that the user referred to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpResource {
    /// The server.
    pub server: String,
    /// The resource there.
    pub uri: String,
    /// What the server calls it.
    pub name: String,
    /// What the server gave.
    pub contents: Vec<McpContent>,
}

/// A piece of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum McpContent {
    /// Text.
    Text {
        /// As the server gave it.
        text: String,
    },
    /// Something that is not text: a placeholder is sent.
    Blob {
        /// Such as `image/png`, where the server says so.
        media_type: Option<String>,
        /// The size, in bytes.
        bytes: u64,
    },
}

impl McpResource {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let attributes = [("server", self.server.as_str()), ("uri", self.uri.as_str())];
        let pieces: Vec<String> = self.contents.iter().filter_map(McpContent::text).collect();
        let text = if pieces.is_empty() {
            "(No content)".to_owned()
        } else {
            let name = one_line(&self.name);
            format!("\nContents of {name}:\n\n{}\n", pieces.join("\n\n"))
        };
        reminder(kind, wrapped("mcp-resource", &attributes, &text))
    }
}

impl McpContent {
    fn text(&self) -> Option<String> {
        match self {
            Self::Text { text } if text.trim().is_empty() => None,
            Self::Text { text } if text.len() > TEXT_BYTES => {
                Some(cut::marked(text, cut::at_bytes(text, TEXT_BYTES)))
            }
            Self::Text { text } => Some(text.clone()),
            Self::Blob { media_type, bytes } => {
                let media_type = media_type.as_deref().unwrap_or("unknown type");
                let media_type = one_line(media_type);
                Some(format!("[Binary content: {media_type}, {}]", size(*bytes)))
            }
        }
    }
}
