//! Finding positions in a block's JSON: where a text ends, where a list ends.

use std::ops::Range;

use aside_json::escaped_len;

use super::json::json_len;
use crate::wire::{ContentBlock, Extra, ResultContent, Text, ToolResult};

/// How much JSON precedes a text block's text.
const BEFORE_TEXT: usize = r#"{"type":"text","text":""#.len();
/// How much JSON precedes a tool result's id.
const BEFORE_CONTENT: usize = r#"{"type":"tool_result","tool_use_id":"""#.len();

/// Finds positions in a block's JSON.
///
/// It measures from the block's end, because lowering appends at the end: the
/// cost is proportional to the length after the position. Positions are cheap
/// in falling order.
#[derive(Clone, Debug)]
pub(super) struct Measure<'a> {
    block: &'a ContentBlock,
    /// Where the block's JSON ends, after its brace.
    end: usize,
    /// Where a tool result's content ends, before its bracket.
    content_end: usize,
    /// A content block and its start; all blocks after it are measured.
    content: (usize, usize),
    text: Option<MeasuredText<'a>>,
}

/// A text measured from its end to a byte.
#[derive(Clone, Debug)]
struct MeasuredText<'a> {
    content: Option<usize>,
    text: &'a str,
    /// The byte in the text, unescaped.
    byte: usize,
    /// The byte's position in the JSON.
    position: usize,
}

impl<'a> Measure<'a> {
    /// Measures a block whose JSON ends at `end`.
    pub(super) fn new(block: &'a ContentBlock, end: usize) -> Self {
        let (content_end, count) = match block {
            ContentBlock::ToolResult(result) => match &result.content {
                ResultContent::Text(_) => (end - len_after_content(result), 1),
                // Without blocks the key is left out, brackets included.
                ResultContent::Blocks(blocks) => {
                    let bracket = usize::from(!blocks.is_empty());
                    (end - len_after_content(result) - bracket, blocks.len())
                }
            },
            _ => (end, 0),
        };
        Self {
            block,
            end,
            content_end,
            // As if a comma followed the last block.
            content: (count, content_end + 1),
            text: None,
        }
    }

    /// Returns where a content block would be appended.
    pub(super) fn content_end(&self) -> usize {
        self.content_end
    }

    /// Returns a content block's range. A string counts as one.
    pub(super) fn content(&mut self, index: usize) -> Option<Range<usize>> {
        let end = self.content_start(index + 1)? - 1;
        Some(self.content_start(index)?..end)
    }

    /// Returns where a byte is in the block's text, or in a content block's
    /// text.
    pub(super) fn text(&mut self, content: Option<usize>, byte: usize) -> Option<usize> {
        let known = self.text.take().filter(|it| it.content == content && byte <= it.byte);
        let mut text = match known {
            Some(text) => text,
            None => self.text_end(content)?,
        };
        text.position -= escaped_len(text.text.get(byte..text.byte)?);
        text.byte = byte;
        let position = text.position;
        self.text = Some(text);
        Some(position)
    }

    pub(super) fn closing_quote(&mut self, content: Option<usize>) -> Option<usize> {
        let text = self.text_end(content)?;
        Some(text.position)
    }

    /// Returns `None` if the block there is no text.
    fn text_end(&mut self, content: Option<usize>) -> Option<MeasuredText<'a>> {
        let (text, position): (&str, _) = match (self.block, content) {
            (ContentBlock::Text(text), None) => (&text.text, self.end - len_after_text(text)),
            (ContentBlock::ToolResult(result), Some(index)) => {
                let end = self.content_start(index + 1)? - 1;
                match &result.content {
                    ResultContent::Text(text) => (text, end - 1),
                    ResultContent::Blocks(blocks) => match blocks.get(index)? {
                        ContentBlock::Text(text) => (&text.text, end - len_after_text(text)),
                        _ => return None,
                    },
                }
            }
            _ => return None,
        };
        Some(MeasuredText { content, text, byte: text.len(), position })
    }

    /// Returns where a content block starts, or, for the index after the last
    /// one, where it would start.
    fn content_start(&mut self, index: usize) -> Option<usize> {
        let ContentBlock::ToolResult(ToolResult { content, .. }) = self.block else {
            return None;
        };
        let (count, len): (usize, &dyn Fn(usize) -> usize) = match content {
            ResultContent::Text(text) => (1, &|_| escaped_len(text) + 2),
            ResultContent::Blocks(blocks) => (blocks.len(), &|index| block_len(&blocks[index])),
        };
        if index > count {
            return None;
        }
        let (mut at, mut start) = self.content;
        if at < index {
            (at, start) = (count, self.content_end + 1);
        }
        while at > index {
            at -= 1;
            // A comma follows each.
            start -= len(at) + 1;
        }
        self.content = (at, start);
        Some(start)
    }
}

/// Measures a block's JSON without writing texts.
fn block_len(block: &ContentBlock) -> usize {
    match block {
        ContentBlock::Text(text) => BEFORE_TEXT + escaped_len(&text.text) + len_after_text(text),
        block => json_len(block),
    }
}

/// Measures the JSON after the text in its block.
fn len_after_text(text: &Text) -> usize {
    if text.citations.is_none() && text.extra == Extra::default() && text.cache_control.is_none() {
        return r#""}"#.len();
    }
    let empty = Text { text: "".into(), ..text.clone() };
    json_len(&empty) - BEFORE_TEXT
}

/// Measures the JSON after the content in a result.
fn len_after_content(result: &ToolResult) -> usize {
    let empty = ToolResult {
        is_error: result.is_error,
        extra: result.extra.clone(),
        cache_control: result.cache_control.clone(),
        ..ToolResult::new("", Vec::new())
    };
    json_len(&empty) - BEFORE_CONTENT
}
