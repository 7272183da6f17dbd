//! A response's content before it is signed.
//!
//! A draft has no ids and no signatures: these depend on the request.

use std::time::Duration;

use serde_json::value::RawValue;

/// A response's content, to which the judge adds ids, signatures and usage.
///
/// ```
/// use aside_gateway::strict::{Draft, Strict, StrictOptions, StrictRequest};
///
/// let mut api = Strict::new(StrictOptions::default());
/// let body = br#"{"model":"claude-haiku-4-5","max_tokens":64,
///     "messages":[{"role":"user","content":"Read a.md"}]}"#;
/// let draft = Draft::new().text("I read it.").tool_use("Read", r#"{"file_path":"a.md"}"#)?;
/// let response = api.answer_with(&StrictRequest::new(body), &draft)?;
/// assert_eq!(response.stop_reason, "tool_use");
/// assert!(response.content_json().contains(r#""input":{"file_path":"a.md"}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Draft {
    pub(crate) blocks: Vec<DraftBlock>,
    pub(crate) stop_reason: Option<String>,
    /// How long after the request the response begins: until then, no other reads its entry.
    pub(crate) latency: Duration,
}

/// A block without what the judge adds.
#[derive(Clone, Debug)]
pub(crate) enum DraftBlock {
    Text(String),
    /// A text and the list of what it cites.
    Cited(String, Box<RawValue>),
    Thinking(String),
    RedactedThinking,
    ToolUse {
        id: Option<String>,
        name: String,
        input: Box<RawValue>,
    },
    Raw(Box<RawValue>),
}

impl Draft {
    /// Creates a response without content.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a response for a server without a script: thinking and one
    /// sentence.
    #[must_use]
    pub fn polite() -> Self {
        Self::new()
            .thinking("No script answers this request.")
            .text("This answer is fixed: no model was asked.")
    }

    /// Adds a text block.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(DraftBlock::Text(text.into()));
        self
    }

    /// Adds a text block with what it cites, a JSON array. Line breaks between its tokens become
    /// spaces, as in [`block`](Self::block).
    ///
    /// # Errors
    /// `citations` is not JSON.
    pub fn cited(mut self, text: &str, citations: &str) -> Result<Self, serde_json::Error> {
        let citations = serde_json::from_str(&citations.replace(['\n', '\r'], " "))?;
        self.blocks.push(DraftBlock::Cited(text.to_owned(), citations));
        Ok(self)
    }

    /// Adds a thinking block. It is left out if the request does not think, and
    /// its text is withheld if the request does not show thinking.
    #[must_use]
    pub fn thinking(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(DraftBlock::Thinking(text.into()));
        self
    }

    /// Adds a `redacted_thinking` block, under the same condition.
    #[must_use]
    pub fn redacted_thinking(mut self) -> Self {
        self.blocks.push(DraftBlock::RedactedThinking);
        self
    }

    /// Adds a tool call. `input` is a JSON object.
    ///
    /// # Errors
    /// `input` is not JSON.
    pub fn tool_use(self, name: &str, input: &str) -> Result<Self, serde_json::Error> {
        self.call(None, name, input)
    }

    /// Adds a tool call with an id.
    ///
    /// # Errors
    /// `input` is not JSON.
    pub fn tool_use_with_id(
        self,
        id: &str,
        name: &str,
        input: &str,
    ) -> Result<Self, serde_json::Error> {
        self.call(Some(id.to_owned()), name, input)
    }

    fn call(
        mut self,
        id: Option<String>,
        name: &str,
        input: &str,
    ) -> Result<Self, serde_json::Error> {
        self.blocks.push(DraftBlock::ToolUse {
            id,
            name: name.to_owned(),
            input: serde_json::from_str(input)?,
        });
        Ok(self)
    }

    /// Adds a block as it is, except that line breaks between its tokens become
    /// spaces, because a stream's event is one line.
    ///
    /// # Errors
    /// `block` is not JSON.
    pub fn block(mut self, block: &str) -> Result<Self, serde_json::Error> {
        let block = block.replace(['\n', '\r'], " ");
        self.blocks.push(DraftBlock::Raw(serde_json::from_str(&block)?));
        Ok(self)
    }

    /// Sets the stop reason. By default it is `tool_use` if a tool is called,
    /// else `end_turn`.
    #[must_use]
    pub fn stop_reason(mut self, reason: impl Into<String>) -> Self {
        self.stop_reason = Some(reason.into());
        self
    }

    pub(crate) fn stops_for(&self) -> &str {
        let is_call = |block: &DraftBlock| matches!(block, DraftBlock::ToolUse { .. });
        match &self.stop_reason {
            Some(reason) => reason,
            None if self.blocks.iter().any(is_call) => "tool_use",
            None => "end_turn",
        }
    }
}
