//! An entry's parts: content blocks before lowering, and reminders.

use std::sync::Arc;

use crate::wire::{
    CacheControl, ContentBlock, Document, Extra, Image, Other, RawJson, RedactedThinking, Text,
    Thinking, ToolResult, ToolUse,
};

/// One part of an entry: a content block before lowering, or a reminder.
///
/// A reminder is a variant, not a text that begins with a tag: no text by a
/// user, a file or a tool can ever become one. In a file, a part has its
/// block's form on the wire, and a reminder is `{"reminder":"Be brief."}`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text(Text),
    /// A message from the harness to the model; sent as one text block in
    /// `<system-reminder>` tags.
    Reminder {
        /// The text between the tags.
        body: Arc<str>,
    },
    /// A tool call.
    ToolUse(ToolCall),
    /// A tool call's result.
    ToolResult(ToolResult),
    /// An image.
    Image(Image),
    /// A document.
    Document(Document),
    /// The model's thinking.
    Thinking(Thinking),
    /// The model's encrypted thinking.
    RedactedThinking(RedactedThinking),
    /// A block with any other type.
    Other(Other),
}

/// A tool call, exactly as the model wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The id, unique in the conversation; the result names it.
    pub id: Arc<str>,
    /// The tool's name.
    pub name: Arc<str>,
    /// The input as the model wrote it.
    pub input: ToolInput,
    /// The block's other keys.
    pub extra: Extra,
    /// A cache marker that the caller set.
    pub cache_control: Option<CacheControl>,
}

/// A tool call's input: a JSON object as text, or any other text if the stream
/// broke off.
///
/// The text is not parsed until lowering: `{"path":"a.r` is kept as it is, is
/// sent as `{}`, and is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolInput(pub Arc<str>);

impl Part {
    /// Returns the block if its type is unknown, such as one of a tool that the
    /// provider runs.
    #[must_use]
    pub fn as_other(&self) -> Option<&Other> {
        match self {
            Self::Other(other) => Some(other),
            _ => None,
        }
    }

    /// Creates a text without further keys.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(Text::new(text))
    }

    /// Creates a tool call.
    pub fn tool_use(
        id: impl Into<Arc<str>>,
        name: impl Into<Arc<str>>,
        input: impl Into<Arc<str>>,
    ) -> Self {
        Self::ToolUse(ToolCall {
            id: id.into(),
            name: name.into(),
            input: ToolInput(input.into()),
            extra: Extra::default(),
            cache_control: None,
        })
    }

    /// Creates a successful tool call's result, as one text.
    pub fn tool_result(tool_use_id: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let text = ContentBlock::text(text);
        Self::ToolResult(ToolResult::new(tool_use_id, vec![text]))
    }

    /// Creates a failed tool call's result.
    pub fn tool_error(tool_use_id: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let text = ContentBlock::text(text);
        Self::ToolResult(ToolResult {
            is_error: Some(true),
            ..ToolResult::new(tool_use_id, vec![text])
        })
    }
}

impl Part {
    /// Returns the block on the wire, with a call's input from `input`; of a reminder, its text.
    pub(crate) fn into_block(
        self,
        input: impl FnOnce(&ToolCall) -> RawJson,
    ) -> Result<ContentBlock, Arc<str>> {
        Ok(match self {
            Self::Reminder { body } => return Err(body),
            Self::Text(text) => ContentBlock::Text(text),
            Self::ToolUse(call) => ContentBlock::ToolUse(ToolUse {
                input: input(&call),
                id: call.id,
                name: call.name,
                extra: call.extra,
                cache_control: call.cache_control,
            }),
            Self::ToolResult(result) => ContentBlock::ToolResult(result),
            Self::Image(image) => ContentBlock::Image(image),
            Self::Document(document) => ContentBlock::Document(document),
            Self::Thinking(thinking) => ContentBlock::Thinking(thinking),
            Self::RedactedThinking(thinking) => ContentBlock::RedactedThinking(thinking),
            Self::Other(other) => ContentBlock::Other(other),
        })
    }
}

impl From<ContentBlock> for Part {
    /// Converts a wire block. A text remains a text, even with reminder tags in
    /// it.
    fn from(block: ContentBlock) -> Self {
        match block {
            ContentBlock::Text(text) => Self::Text(text),
            ContentBlock::Image(image) => Self::Image(image),
            ContentBlock::Document(document) => Self::Document(document),
            ContentBlock::ToolUse(call) => Self::ToolUse(ToolCall {
                id: call.id,
                name: call.name,
                input: ToolInput(call.input.get().into()),
                extra: call.extra,
                cache_control: call.cache_control,
            }),
            ContentBlock::ToolResult(result) => Self::ToolResult(result),
            ContentBlock::Thinking(thinking) => Self::Thinking(thinking),
            ContentBlock::RedactedThinking(thinking) => Self::RedactedThinking(thinking),
            ContentBlock::Other(other) => Self::Other(other),
        }
    }
}

impl ToolInput {
    /// Returns the input as JSON.
    ///
    /// # Errors
    /// Returns the syntax error, or the beginning of a value that is no object.
    pub fn object(&self) -> Result<RawJson, String> {
        let raw = RawJson::parse(&self.0).map_err(|error| error.to_string())?;
        if raw.is_object() {
            return Ok(raw);
        }
        Err(format!("found {}", raw.get().chars().take(40).collect::<String>()))
    }
}
