//! Where messages, blocks and tools were in a body that was read.
//!
//! ```text
//! messages[1].content[0]   →   input[2]                     Responses
//! … .content[0].content[1] →   input[3].output[1]           Responses
//! messages[1].content[0]   →   contents[1].parts[0]         Gemini
//! tools[1].input_schema    →   tools[2].function.parameters Chat Completions
//! output_config.effort     →   reasoning_effort             Chat Completions
//! ```
//!
//! Losses are found in the inner form, whose messages move. You know only your own body.

use std::collections::HashMap;
use std::mem;

use aside_messages::history::Positions;
use aside_messages::wire::{ContentBlock, Message, RawJson, Request, Role};
use aside_models::Wire;

use crate::loss::ConversionLoss;

/// The results of calls and the images at an address, by their paths.
pub(crate) type Outputs = HashMap<String, Output>;

/// What a body that was read has more of a result or an image.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Output {
    /// The paths of its blocks.
    pub(crate) parts: Vec<String>,
    /// The object that Gemini has in its place, if its text is not all that this holds.
    pub(crate) response: Option<RawJson>,
    /// The media type that Gemini has for an image, if its address does not end in it.
    pub(crate) media_type: Option<String>,
}

/// The paths in a body that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sources {
    pub(crate) wire: Wire,
    /// Of the messages. Blocks that were appended to one have no path.
    pub(crate) messages: Positions<String>,
    pub(crate) outputs: Outputs,
    pub(crate) system: Vec<String>,
    pub(crate) tools: Vec<ToolSource>,
    /// Of the parameters with another path than in the inner form, which comes first. The first
    /// row of a parameter counts.
    pub(crate) parameters: Vec<(&'static str, String)>,
}

/// The paths of a tool, and of its schema.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolSource {
    pub(crate) path: String,
    pub(crate) schema: String,
}

impl ToolSource {
    /// Returns the paths of a tool with its schema at this key.
    pub(crate) fn new(path: String, key: &str) -> Self {
        Self { schema: format!("{path}.{key}"), path }
    }
}

impl Sources {
    /// Returns the paths in a request that was written in the inner form.
    pub(crate) fn of(request: &Request) -> Self {
        let tools = 0..request.tools.len();
        Self {
            wire: Wire::Messages,
            messages: Self::of_messages(&request.messages),
            outputs: Outputs::new(),
            system: Vec::new(),
            tools: tools
                .map(|index| ToolSource::new(format!("tools[{index}]"), "input_schema"))
                .collect(),
            parameters: Vec::new(),
        }
    }

    /// Returns the paths of messages in the inner form.
    pub(crate) fn of_messages(messages: &[Message]) -> Positions<String> {
        let paths = messages.iter().enumerate().map(|(index, message)| {
            let path = format!("messages[{index}]");
            let places = 0..message.content.len();
            let blocks = places.map(|place| format!("{path}.content[{place}]")).collect();
            (path, blocks)
        });
        paths.collect()
    }

    /// Replaces the path of each loss.
    pub(crate) fn rename(&self, losses: &mut [ConversionLoss]) {
        for loss in losses {
            loss.path = self.path(&loss.path);
        }
    }

    /// Returns the path in the body for one in the inner form. Other paths stay.
    pub(crate) fn path(&self, path: &str) -> String {
        let is_own = self.wire == Wire::Messages;
        if let Some((index, rest)) = indexed(path, "messages[")
            && let Some((message, blocks)) = self.messages.get(index)
        {
            return match indexed(rest, ".content[") {
                // Within a block, the other wires have other keys.
                Some((place, rest)) => {
                    let block = blocks.get(place).unwrap_or(message);
                    let part = indexed(rest, ".content[").and_then(|(inner, rest)| {
                        Some((self.outputs.get(block)?.parts.get(inner)?, rest))
                    });
                    let (block, rest) = part.unwrap_or((block, rest));
                    format!("{block}{}", if is_own { rest } else { "" })
                }
                None => format!("{message}{}", if is_own { rest } else { "" }),
            };
        }
        if let Some((index, _)) = indexed(path, "system[")
            && let Some(block) = self.system.get(index)
        {
            return block.clone();
        }
        if let Some((index, rest)) = indexed(path, "tools[")
            && let Some(tool) = self.tools.get(index)
        {
            return match rest.strip_prefix(".input_schema") {
                Some(rest) => format!("{}{rest}", tool.schema),
                None => format!("{}{rest}", tool.path),
            };
        }
        let of_parameter = |(inner, outer): &(&str, String)| {
            let rest = path.strip_prefix(inner)?;
            match (rest.chars().next(), inner.ends_with(".schema")) {
                // Within a parameter, the other wires have other keys; a schema is the same.
                (None, _) | (Some('.' | '['), false) => Some(outer.clone()),
                (Some('.' | '['), true) => Some(format!("{outer}{rest}")),
                _ => None,
            }
        };
        self.parameters.iter().find_map(of_parameter).unwrap_or_else(|| path.to_owned())
    }
}

/// Keeps the blocks for which `keeps` returns true, given the message's role and the block's path.
pub(crate) fn retain(
    messages: &mut [Message],
    positions: &mut Positions<String>,
    mut keeps: impl FnMut(&Role, &ContentBlock, &str) -> bool,
) {
    for (Message { role, content, .. }, (at, blocks)) in messages.iter_mut().zip(positions) {
        let mut paths = mem::take(blocks).into_iter();
        content.retain(|block| {
            let path = paths.next().unwrap_or_else(|| at.clone());
            let is_kept = keeps(role, block, &path);
            if is_kept {
                blocks.push(path);
            }
            is_kept
        });
    }
}

/// Splits the path of an element: `messages[3].role` is 3 and `.role`.
fn indexed<'p>(path: &'p str, list: &str) -> Option<(usize, &'p str)> {
    let (index, rest) = path.strip_prefix(list)?.split_once(']')?;
    Some((index.parse().ok()?, rest))
}
