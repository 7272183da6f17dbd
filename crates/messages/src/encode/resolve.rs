use std::io;
use std::ops::Range;

use serde::Serialize;

use crate::source::{Extent, Source};
use crate::wire::{ContentBlock, ResultContent, ToolResult};

/// Where in the JSON of the block, which begins at `start`, each piece is, from
/// front to back. One that names a part that the block does not have is left
/// out: its bytes stay the owner's.
///
/// The block is measured once, however many pieces there are; so is each text,
/// where its pieces come in order.
pub(super) fn resolve(
    block: &ContentBlock,
    pieces: Vec<(Source, Extent)>,
    start: usize,
) -> Vec<(Source, Range<usize>)> {
    if pieces.is_empty() {
        return Vec::new();
    }
    let contents = match block {
        ContentBlock::ToolResult(result) => content_ranges(result),
        _ => Vec::new(),
    };
    let mut measured: Option<Measured<'_>> = None;
    let mut within = |extent: &Extent| {
        let range = match extent {
            Extent::Content(index) => return contents.get(*index).cloned(),
            Extent::Text(range) | Extent::ContentText(_, range) => range,
        };
        let (begins, text) = text_of(block, &contents, extent)?;
        if measured.as_ref().is_none_or(|it| it.begins != begins) {
            measured = Some(Measured::new(begins, text));
        }
        let text = measured.as_mut()?;
        Some(text.offset(range.start)?..text.offset(range.end)?)
    };
    let resolved = pieces.into_iter().filter_map(|(source, extent)| {
        let within = within(&extent)?;
        Some((source, start + within.start..start + within.end))
    });
    let mut resolved: Vec<_> = resolved.collect();
    resolved.sort_by_key(|(_, range)| range.start);
    resolved
}

/// The text that the extent is a part of, and where it begins in the block.
fn text_of<'a>(
    block: &'a ContentBlock,
    contents: &[Range<usize>],
    extent: &Extent,
) -> Option<(usize, &'a str)> {
    let before = r#"{"type":"text","text":""#.len();
    match (block, extent) {
        (ContentBlock::Text(block), Extent::Text(_)) => Some((before, &block.text)),
        (ContentBlock::ToolResult(result), Extent::ContentText(index, _)) => {
            let content = contents.get(*index)?;
            match &result.content {
                ResultContent::Blocks(blocks) => match blocks.get(*index)? {
                    ContentBlock::Text(block) => Some((content.start + before, &block.text)),
                    _ => None,
                },
                ResultContent::Text(text) => Some((content.start + 1, text)),
            }
        }
        _ => None,
    }
}

/// A text that is measured from front to back.
struct Measured<'a> {
    begins: usize,
    text: &'a str,
    /// So far it is measured.
    at: usize,
    /// The bytes of JSON up to there.
    len: usize,
}

impl<'a> Measured<'a> {
    fn new(begins: usize, text: &'a str) -> Self {
        Self {
            begins,
            text,
            at: 0,
            len: 0,
        }
    }

    /// Where the byte at `at` of the text is in the block.
    fn offset(&mut self, at: usize) -> Option<usize> {
        if at < self.at {
            *self = Self::new(self.begins, self.text);
        }
        self.len += escaped_len(self.text.get(self.at..at)?);
        self.at = at;
        Some(self.begins + self.len)
    }
}

/// The blocks of the content; a string counts as one.
fn content_ranges(result: &ToolResult) -> Vec<Range<usize>> {
    let keys = r#"{"type":"tool_result","tool_use_id":"","content":"#.len();
    let before = keys + escaped_len(&result.tool_use_id);
    match &result.content {
        ResultContent::Text(text) => std::iter::once(before..before + json_len(text)).collect(),
        ResultContent::Blocks(blocks) => {
            let mut at = before;
            let range = |block| {
                // The opening bracket, or the comma behind the block before.
                let start = at + 1;
                at = start + json_len(block);
                start..at
            };
            blocks.iter().map(range).collect()
        }
    }
}

fn escaped_len(text: &str) -> usize {
    json_len(text) - 2
}

fn json_len<T: Serialize + ?Sized>(value: &T) -> usize {
    let mut counted = Count(0);
    serde_json::to_writer(&mut counted, value).expect("wire types serialize");
    counted.0
}

/// Counts bytes and keeps none.
struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
