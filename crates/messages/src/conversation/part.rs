use std::sync::Arc;

use crate::wire::{
    ContentBlock, Document, Image, Other, RawJson, RedactedThinking, Text, Thinking,
};

/// One piece of an entry.
///
/// A reminder is a part of its own, not a text that begins with a tag: no text
/// of a user, a file or a tool can ever become one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text(Text),
    /// What the harness says to the model; sent as one text block in
    /// `<system-reminder>` tags.
    Reminder {
        /// The text between the tags.
        body: Arc<str>,
    },
    /// A call of a tool.
    ToolUse {
        /// Unique in the conversation.
        id: Arc<str>,
        /// The tool.
        name: Arc<str>,
        /// As the model wrote it.
        input: ToolInput,
    },
    /// The answer of a tool.
    ToolResult {
        /// The call that it answers.
        tool_use_id: Arc<str>,
        /// Text, images, documents, search results, tool references.
        content: Vec<ContentBlock>,
        /// How the call ended.
        is_error: bool,
    },
    /// An image.
    Image(Image),
    /// A document.
    Document(Document),
    /// What the model thought.
    Thinking(Thinking),
    /// What the model thought, encrypted.
    RedactedThinking(RedactedThinking),
    /// A block of any other type.
    Other(Other),
}

/// The input of a tool call: text that should be a JSON object, and is not
/// where a stream broke off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolInput(pub Arc<str>);

impl Part {
    /// Text with nothing beside it.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(Text::new(text))
    }

    /// The answer of a tool, as one text.
    pub fn tool_result(tool_use_id: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self::ToolResult {
            tool_use_id: tool_use_id.into(),
            content: vec![ContentBlock::text(text)],
            is_error: false,
        }
    }
}

impl ToolInput {
    /// The input as JSON.
    ///
    /// # Errors
    /// What is there instead of a JSON object.
    pub fn object(&self) -> Result<RawJson, String> {
        let raw = RawJson::parse(&self.0).map_err(|error| error.to_string())?;
        if raw.is_object() {
            return Ok(raw);
        }
        Err(format!(
            "found {}",
            raw.get().chars().take(40).collect::<String>()
        ))
    }
}
