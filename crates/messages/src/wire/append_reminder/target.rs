//! Where reminders go in a message, for typed messages and for encoded ones.
//!
//! ```text
//! user: result 1, "a"          →  the end of "a"
//! user: result 1 ["out"]       →  the end of "out"
//! user: result 1 [image]       →  a new text in the result
//! user: result 1 [reference]   →  a new block
//! user: image                  →  a new block
//! ```

use std::ops::Range;
use std::sync::Arc;

use super::reminder_text;
use crate::wire::block::{ContentBlock, ResultContent};

/// Where reminders go in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// At the end of a text block, or of a text in a tool result's content.
    Text { block: usize, content: Option<usize> },
    /// As a new text block at the end of a tool result's content.
    NewContent { block: usize },
    /// As a new text block at the end of the message.
    ///
    /// Also used for a message without blocks.
    NewBlock,
}

/// Several reminders as one text.
pub(crate) struct JoinedReminders {
    /// With a newline at its start if there is text before.
    pub(crate) text: String,
    /// Which bytes each reminder has in `text`, with the newline before it.
    pub(crate) ranges: Vec<Range<usize>>,
}

impl Target {
    /// Finds where reminders go. `may_grow` excludes texts, by the index of
    /// their block and, in a tool result, of the block in its content.
    ///
    /// A text at the top level is preferred to one in a result, and the last
    /// one to earlier ones.
    pub(crate) fn find<'a>(
        blocks: impl DoubleEndedIterator<Item = &'a ContentBlock> + ExactSizeIterator + Clone,
        may_grow: impl Fn(usize, Option<usize>) -> bool,
    ) -> Self {
        let mut last_first = blocks.clone().enumerate().rev();
        let text = last_first.find(|(index, block)| is_text(block) && may_grow(*index, None));
        if let Some((block, _)) = text {
            return Self::Text { block, content: None };
        }
        let mut last_first = blocks.enumerate().rev();
        let result = last_first.find_map(|(index, block)| match block {
            ContentBlock::ToolResult(result) if !result.holds_tool_reference() => {
                Some((index, &result.content))
            }
            _ => None,
        });
        let Some((block, content)) = result else {
            return Self::NewBlock;
        };
        let content = match content {
            ResultContent::Text(_) => Some(0),
            ResultContent::Blocks(inner) => inner
                .iter()
                .enumerate()
                .rposition(|(index, it)| is_text(it) && may_grow(block, Some(index))),
        };
        match content {
            Some(_) => Self::Text { block, content },
            None => Self::NewContent { block },
        }
    }

    /// Joins reminders into the text to append here.
    pub(crate) fn join<B: AsRef<str>>(self, bodies: impl Iterator<Item = B>) -> JoinedReminders {
        let mut text = String::new();
        let ranges = bodies
            .map(|body| {
                let start = text.len();
                if start > 0 || matches!(self, Self::Text { .. }) {
                    text.push('\n');
                }
                text.push_str(&reminder_text(body.as_ref()));
                start..text.len()
            })
            .collect();
        JoinedReminders { text, ranges }
    }

    /// Appends text to a message with this content. Returns the block's index,
    /// the index in its content, and the byte where the appended text begins.
    pub(crate) fn append(
        self,
        blocks: &mut Vec<ContentBlock>,
        text: &str,
    ) -> (usize, Option<usize>, usize) {
        match self {
            Self::Text { block, content } => {
                let target =
                    text_mut(&mut blocks[block], content).expect("the target is in these blocks");
                let start = target.len();
                *target = format!("{target}{text}").into();
                (block, content, start)
            }
            Self::NewContent { block } => {
                let inner = match &mut blocks[block] {
                    ContentBlock::ToolResult(result) => result.content.blocks_mut(),
                    _ => None,
                };
                let inner = inner.expect("the target is in these blocks");
                inner.push(ContentBlock::text(text));
                (block, Some(inner.len() - 1), 0)
            }
            Self::NewBlock => {
                blocks.push(ContentBlock::text(text));
                (blocks.len() - 1, None, 0)
            }
        }
    }
}

/// Returns true for a text block, also for an empty one.
fn is_text(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Text(_))
}

/// Returns the text in a block, or in the block at `content` in a tool result;
/// `None` if it is no text.
fn text_mut(block: &mut ContentBlock, content: Option<usize>) -> Option<&mut Arc<str>> {
    let block = match (block, content) {
        (ContentBlock::ToolResult(result), Some(index)) => match &mut result.content {
            ResultContent::Text(text) => return Some(text),
            ResultContent::Blocks(blocks) => blocks.get_mut(index)?,
        },
        (block, _) => block,
    };
    match block {
        ContentBlock::Text(text) => Some(&mut text.text),
        _ => None,
    }
}
