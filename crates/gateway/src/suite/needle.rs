//! The parts of a conversation that have to be in each later request once.

use std::collections::BTreeSet;

use aside_messages::wire::{ContentBlock, Request, ResultContent, Role, ToolResult};

use crate::serve::SentBlock;

/// A part of a conversation, by what is unique in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Needle {
    /// A prompt in the situation.
    Prompt(String),
    /// A block that the server sent.
    Sent(SentBlock),
    /// The result for the call with this id.
    Result(String),
}

/// A request to search.
pub(super) struct Haystack<'a> {
    /// In the Messages API's form.
    pub(super) request: &'a Request,
    /// The body as it came.
    pub(super) body: &'a str,
}

impl Haystack<'_> {
    /// Returns how often a part is in the request.
    pub(super) fn count(&self, needle: &Needle) -> usize {
        use ContentBlock::{Text, ToolResult, ToolUse};
        let messages = self.request.messages.iter();
        let blocks =
            messages.flat_map(|message| message.content.iter().map(|it| (&message.role, it)));
        let is_it = |(role, block): &(&Role, &ContentBlock)| match (needle, role, block) {
            (Needle::Prompt(prompt), Role::User, Text(text)) => text.text.contains(&**prompt),
            (Needle::Sent(SentBlock::Text(sent)), Role::Assistant, Text(text)) => {
                text.text.contains(sent.trim())
            }
            (Needle::Sent(SentBlock::Call(id)), _, ToolUse(call)) => *call.id == **id,
            (Needle::Result(id), _, ToolResult(result)) => *result.tool_use_id == **id,
            _ => false,
        };
        match needle {
            // What a signature looks like depends on the API, its text does
            // not.
            Needle::Sent(SentBlock::Thinking(seal)) => self.body.matches(&**seal).count(),
            _ => blocks.filter(is_it).count(),
        }
    }

    /// Returns true if an outsider's text is in the system prompt, in a system
    /// message or in a user text, which are not tool results.
    pub(super) fn trusts(&self, text: &str) -> bool {
        let contains = |block: &ContentBlock| match block {
            ContentBlock::Text(block) => block.text.contains(text),
            _ => false,
        };
        let mut messages = self.request.messages.iter();
        self.request.system.iter().any(contains)
            || messages.any(|it| it.role != Role::Assistant && it.content.iter().any(contains))
    }

    pub(super) fn results(&self) -> impl Iterator<Item = Needle> + '_ {
        self.tool_results().map(|it| Needle::Result(it.tool_use_id.to_string()))
    }

    /// Returns true if a tool result has one of these texts.
    pub(super) fn has_result_with(&self, texts: &BTreeSet<String>) -> bool {
        let has = |result: &str| texts.iter().any(|text| result.contains(&**text));
        self.tool_results().any(|it| match &it.content {
            ResultContent::Text(text) => has(text),
            ResultContent::Blocks(blocks) => blocks.iter().any(|block| match block {
                ContentBlock::Text(block) => has(&block.text),
                _ => false,
            }),
        })
    }

    fn tool_results(&self) -> impl Iterator<Item = &ToolResult> {
        let blocks = self.request.messages.iter().flat_map(|it| &it.content);
        blocks.filter_map(|block| match block {
            ContentBlock::ToolResult(it) => Some(it),
            _ => None,
        })
    }
}

impl std::fmt::Display for Needle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Prompt(prompt) => write!(f, "the prompt {prompt:?}"),
            Self::Sent(SentBlock::Text(text)) => write!(f, "the text {text:?}"),
            Self::Sent(SentBlock::Thinking(_)) => f.write_str("a thinking block"),
            Self::Sent(SentBlock::Call(id)) => write!(f, "the call {id}"),
            Self::Result(id) => write!(f, "the result of {id}"),
        }
    }
}
