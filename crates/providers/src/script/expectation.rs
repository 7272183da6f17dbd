//! What a script expects from a request.

use aside_messages::wire::{ContentBlock, Message, Request, ResultContent, Role};
use aside_rules::of::tool::mcp_names;
use serde::Deserialize;

/// What a request has to meet. If you leave a condition out, every request meets it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Expectation {
    /// The model's id.
    model: Option<String>,
    /// How many user and model messages there are.
    messages: Option<usize>,
    /// Texts that the last of these messages contains.
    last: Vec<String>,
    /// Texts that the system prompt or any message contains.
    anywhere: Vec<String>,
    /// The tools' names, in request order.
    tools: Option<Vec<String>>,
    /// A tool that the request has, among any others.
    has_tool: Option<String>,
}

impl Expectation {
    /// Checks a request.
    ///
    /// # Errors
    ///
    /// Returns the first condition that does not hold, with the expected and the actual value.
    pub fn check(&self, request: &Request) -> Result<(), String> {
        equal("the model", self.model.as_ref(), &request.model)?;
        // Whether the harness sends system messages depends on the model, so do not count them or
        // treat one as the last message.
        let of_the_turns = |message: &&Message| message.role != Role::System;
        let mut messages = request.messages.iter().filter(of_the_turns);
        let count = messages.clone().count();
        equal("the number of messages", self.messages.as_ref(), &count)?;
        let tools = request.tools.iter().map(|tool| tool.name.clone());
        equal("the tools", self.tools.as_ref(), &tools.collect())?;
        let is_missing =
            |name: &&String| request.tools.iter().all(|tool| !is_named(&tool.name, name));
        if let Some(name) = self.has_tool.as_ref().filter(is_missing) {
            return Err(format!("the tools: expected {name:?} among them"));
        }
        let last = messages.next_back();
        let last = texts(last.into_iter().flat_map(|message| &message.content));
        holds("the last message", &self.last, &last)?;
        if self.anywhere.is_empty() {
            return Ok(());
        }
        holds("the request", &self.anywhere, &all_texts(request))
    }
}

/// Returns true if a tool has this name, or is the same MCP tool under another agent's name for it.
///
/// ```
/// use aside_providers::script::is_named;
///
/// for name in ["mcp__docs__read", "docs_read", "docs__read", "mcp_docs_read", "read"] {
///     assert!(is_named(name, "mcp__docs__read"), "{name}");
/// }
/// assert!(!is_named("web_read", "mcp__docs__read"));
/// ```
#[must_use]
pub fn is_named(tool: &str, name: &str) -> bool {
    if tool == name {
        return true;
    }
    let Some((server, own)) = mcp_names(name) else {
        return false;
    };
    let prefix = tool.strip_suffix(own);
    let prefix = prefix.map(|it| it.trim_end_matches(['_', '-', '.', '/', ':']));
    prefix.is_some_and(|it| it.is_empty() || it == server || it == format!("mcp_{server}"))
}

/// Compares a value with the expected one, if there is one.
fn equal<T: PartialEq + std::fmt::Debug>(
    what: &str,
    expected: Option<&T>,
    found: &T,
) -> Result<(), String> {
    match expected {
        Some(expected) if expected != found => {
            Err(format!("{what}: expected {expected:?}, found {found:?}"))
        }
        _ => Ok(()),
    }
}

/// Checks that each expected text occurs in one of the texts.
fn holds(what: &str, expected: &[String], texts: &[&str]) -> Result<(), String> {
    let misses = |part: &&String| !texts.iter().any(|text| text.contains(part.as_str()));
    match expected.iter().find(misses) {
        Some(missing) => Err(format!("{what}: expected {missing:?} in it")),
        None => Ok(()),
    }
}

/// Returns the texts in the system prompt and all messages.
fn all_texts(request: &Request) -> Vec<&str> {
    let messages = request.messages.iter();
    let blocks = messages.flat_map(|message| &message.content);
    texts(request.system.iter().chain(blocks))
}

/// Returns the texts in blocks, including those in results.
fn texts<'a>(blocks: impl Iterator<Item = &'a ContentBlock>) -> Vec<&'a str> {
    let mut texts = Vec::new();
    for block in blocks {
        match block {
            ContentBlock::Text(text) => texts.push(&*text.text),
            ContentBlock::ToolResult(result) => match &result.content {
                ResultContent::Text(text) => texts.push(text),
                ResultContent::Blocks(blocks) => {
                    texts.extend(blocks.iter().filter_map(|block| match block {
                        ContentBlock::Text(text) => Some(&*text.text),
                        _ => None,
                    }));
                }
            },
            _ => {}
        }
    }
    texts
}
