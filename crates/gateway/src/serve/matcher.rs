//! The conditions of a script on a request: which response fits (`when`), and
//! the content that is required (`expect`).
//!
//! ```json
//! {"model": "claude-opus-5-5", "messages": 3, "last": ["weather"], "tools": ["Read", "Bash"]}
//! ```
//!
//! All conditions of a matcher have to hold. One that is absent always holds.

use aside_messages::wire::{ContentBlock, Request, ResultContent};
use serde::Deserialize;

/// Conditions on a request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Matcher {
    /// The model.
    model: Option<String>,
    /// The number of messages.
    messages: Option<usize>,
    /// Texts in the texts and results of the last message.
    last: Vec<String>,
    /// Texts in those of any message, or in the system prompt.
    anywhere: Vec<String>,
    /// The names of the tools, in order.
    tools: Option<Vec<String>>,
}

impl Matcher {
    /// Returns an error with the expected value if the request does not match.
    ///
    /// The first condition that does not hold is reported, in the order model,
    /// messages, tools, `last`, `anywhere`. Texts are compared as substrings,
    /// including case.
    pub(crate) fn check(&self, body: &[u8]) -> Result<(), String> {
        let request = match Request::parse(body) {
            Ok(parsed) => parsed.value,
            Err(error) => return Err(format!("the body is no request: {error}")),
        };
        if let Some(model) = self.model.as_ref().filter(|it| **it != request.model) {
            return Err(format!(
                "expected the model {model:?}, found {:?}",
                request.model
            ));
        }
        let count = request.messages.len();
        if let Some(expected) = self.messages.filter(|it| *it != count) {
            return Err(format!("expected {expected} messages, found {count}"));
        }
        let tools: Vec<&String> = request.tools.iter().map(|tool| &tool.name).collect();
        if let Some(expected) = self
            .tools
            .as_ref()
            .filter(|it| !it.iter().eq(tools.iter().copied()))
        {
            return Err(format!("expected the tools {expected:?}, found {tools:?}"));
        }
        let last = request.messages.last();
        let last = texts(last.into_iter().flat_map(|message| &message.content));
        holds("the last message", &self.last, &last)?;
        let mut all = texts(request.messages.iter().flat_map(|message| &message.content));
        all.extend(texts(&request.system));
        holds("the request", &self.anywhere, &all)
    }
}

/// Checks that each expected text is part of one of the texts.
fn holds(place: &str, expected: &[String], texts: &[&str]) -> Result<(), String> {
    let is_missing = |part: &&String| !texts.iter().any(|text| text.contains(part.as_str()));
    match expected.iter().find(is_missing) {
        Some(missing) => Err(format!("expected {missing:?} in {place}")),
        None => Ok(()),
    }
}

/// Returns the texts of blocks, and those inside tool results. Thinking and
/// inputs have none.
fn texts<'a>(blocks: impl IntoIterator<Item = &'a ContentBlock>) -> Vec<&'a str> {
    let mut texts = Vec::new();
    for block in blocks {
        texts.extend(text(block));
        if let ContentBlock::ToolResult(result) = block {
            match &result.content {
                ResultContent::Text(text) => texts.push(text),
                ResultContent::Blocks(blocks) => texts.extend(blocks.iter().filter_map(text)),
            }
        }
    }
    texts
}

fn text(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Text(text) => Some(&text.text),
        _ => None,
    }
}
