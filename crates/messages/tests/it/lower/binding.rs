//! Invariant 10: thinking that is sent has the prefix under which it was
//! produced.

use std::collections::HashMap;

use aside_messages::wire::{ContentBlock, Message, Request};

use crate::lower::law::Law;

/// The prefixes under which responses were produced.
///
/// A thinking block is known by its text: each response in a test has its own.
#[derive(Debug, Default)]
pub(crate) struct Bindings(HashMap<String, String>);

impl Bindings {
    /// Checks a request, and notes that its response has this thinking.
    pub(crate) fn sent(&mut self, request: &Request, answered_with: &[&str]) -> Law {
        for (index, message) in request.messages.iter().enumerate() {
            for (block, content) in message.content.iter().enumerate() {
                let Some(text) = thinking(content) else {
                    continue;
                };
                let prefix = prefix(request, &request.messages[..index], &message.content[..block]);
                match self.0.get(text) {
                    Some(produced) if *produced == prefix => {}
                    Some(produced) => {
                        return Err(format!(
                            "{text} was produced behind\n{produced}\nand is sent behind\n{prefix}"
                        ));
                    }
                    None => return Err(format!("nobody thought {text:?}")),
                }
            }
        }
        let whole = prefix(request, &request.messages, &[]);
        for text in answered_with {
            self.0.insert((*text).to_owned(), whole.clone());
        }
        Ok(())
    }
}

fn thinking(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Thinking(thinking) => Some(&thinking.thinking),
        _ => None,
    }
}

/// Returns a response's canonical prefix: without cache markers, without
/// deferred tools, and without thinking, which is bound to its predecessor
/// only. Blocks in the response itself do not belong to it.
fn prefix(request: &Request, before: &[Message], _: &[ContentBlock]) -> String {
    let mut prefix = String::new();
    for tool in request.tools.iter().filter(|it| it.defer_loading != Some(true)) {
        let mut tool = tool.clone();
        tool.cache_control = None;
        prefix += &serde_json::to_string(&tool).unwrap();
    }
    for block in &request.system {
        let mut block = block.clone();
        block.unmark();
        prefix += &serde_json::to_string(&block).unwrap();
    }
    for message in before {
        let mut message = message.clone();
        message.content.retain(|block| thinking(block).is_none());
        for block in &mut message.content {
            block.unmark();
        }
        prefix.push('\n');
        prefix += &serde_json::to_string(&message).unwrap();
    }
    prefix
}
