//! Notebook cells as text and images.
//!
//! A cell is written in a tag with its number, each of its outputs in a tag
//! that follows it. Both tags are neutralized inside, so no cell can end early
//! or forge another one. Images follow the text as separate blocks.

use aside_messages::neutralize;
use aside_messages::wire::{ContentBlock, Image};

use super::Shown;
use super::lines::Range;
use crate::notebook::{Cell, Notebook};

/// For a result without images.
const MAX_SHOWN_BYTES: usize = 256 * 1024;
const MAX_OUTPUT_CHARS: usize = 10_000;
/// The tags around cells and outputs; they are neutralized inside cells.
const TAGS: &[&str] = &["cell", "output"];

/// Shows a range of cells; cells are counted from 1. A note follows if it is
/// not the whole notebook.
///
/// A cell is shown as
///
/// ```text
/// <cell number="3" kind="code">
/// x = 1
/// </cell>
/// <output cell="3" kind="text">
/// 1
/// </output>
/// ```
///
/// The result ends before the cell that would exceed 256 KiB; the first cell is
/// always shown, with its source and outputs cut.
///
/// # Errors
/// Why the file is no notebook or has no cell with the first number, for the
/// model.
pub(super) fn show(json: &[u8], range: Range) -> Result<Shown, String> {
    let notebook: Notebook =
        serde_json::from_slice(json).map_err(|error| format!("not a notebook: {error}"))?;
    let total = notebook.cells.len();
    if total > 0 && range.first > total {
        return Err(format!("there is no cell {}: it has {total}", range.first));
    }
    let mut text = String::new();
    let mut images = Vec::new();
    let mut last = range.first - 1;
    let cells = (1..).zip(&notebook.cells);
    for (number, cell) in cells.skip(range.first - 1).take(range.limit) {
        let rendered = cell.render(number, &mut images);
        if !text.is_empty() && text.len() + rendered.len() > MAX_SHOWN_BYTES {
            break;
        }
        text.push_str(&rendered);
        last = number;
    }
    if total == 0 {
        text.push_str("(There are no cells in it.)");
    }
    let mut content = vec![ContentBlock::text(text.trim_end())];
    content.extend(images.into_iter().map(ContentBlock::Image));
    let is_whole = range.first == 1 && last == total;
    if !is_whole {
        let mut note =
            format!("Of the notebook's {total} cells, {} to {last} are shown.", range.first);
        if last < total {
            note.push_str(&format!(" To read on, use `offset` {}.", last + 1));
        }
        content.push(ContentBlock::text(note));
    }
    Ok(Shown::new(content, is_whole))
}

impl Cell {
    /// Writes the cell and its outputs for the model; adds their images to
    /// `images`.
    fn render(&self, number: usize, images: &mut Vec<Image>) -> String {
        let kind = self.kind();
        let source = cut(&self.source.0, MAX_SHOWN_BYTES);
        let mut text = format!("<cell number=\"{number}\" kind=\"{kind}\">\n{source}\n</cell>\n");
        for (index, output) in self.outputs.iter().enumerate() {
            if text.len() > MAX_SHOWN_BYTES {
                let left_out = self.outputs.len() - index;
                text.push_str(&format!("[{left_out} more outputs are left out]\n"));
                break;
            }
            let kind = output.kind();
            let output = cut(&output.text(images), MAX_OUTPUT_CHARS);
            text.push_str(&format!(
                "<output cell=\"{number}\" kind=\"{kind}\">\n{output}\n</output>\n"
            ));
        }
        text
    }
}

/// Returns the text with its tags neutralized, cut to `most` bytes.
fn cut(text: &str, most: usize) -> String {
    let text = text.trim_end_matches('\n');
    let end = text.floor_char_boundary(most);
    let shown = neutralize(&text[..end], TAGS);
    if end == text.len() {
        return shown.into_owned();
    }
    format!("{shown}\n[{} bytes are left out]", text.len() - end)
}
